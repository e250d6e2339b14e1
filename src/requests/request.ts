import type { Phrase } from '../errors.js';
import { isFieldText } from '../log/byte-string.js';
import type { LogRequest } from '../log/group.js';

/** A request read from a list. */
export interface ListedRequest extends LogRequest {
  readonly line: number;
}

/** The problem of a value, as messages word it. */
export interface Refusal<Remedy extends Phrase = Phrase> {
  readonly problem: string;
  readonly remedy: Remedy;
}

/** An HTTP token (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Origin-form, or absolute-form with an authority; the bytes that `isFieldText` allows. */
const TARGET = /^(?:\/|https?:\/\/(?![/?#])[\x21-\x7e\x80-\xff])[\x21-\x7e\x80-\xff]*$/i;

const NO_HOST = /^https?:\/\/(?:[/?#]|$)/i;

export function checkMethod(method: string): Refusal<string> | undefined {
  if (TOKEN.test(method)) return undefined;
  return { problem: 'is not an HTTP method', remedy: 'give a method such as POST, or none for GET' };
}

/** Refuses what is not a `<request_target>`: a space or a control character could forge a record. */
export function checkTarget(target: string): Refusal<string> | undefined {
  if (TARGET.test(target)) return undefined;
  if (target === '') return { problem: 'is empty', remedy: 'give a path such as /mail/' };
  if (NO_HOST.test(target) && isFieldText(target))
    return { problem: 'names no host', remedy: 'give a host, as in http://host/mail/, or only the path' };
  if (isFieldText(target)) return { problem: 'is not a request target', remedy: 'start it with / or http://' };
  // `/[ \t]+$/` would take quadratic time for a long run of spaces before another character.
  if (isFieldText(target.trim())) return { problem: 'has leading or trailing whitespace', remedy: 'remove the whitespace' };
  return { problem: 'holds a space or a control character', remedy: 'percent-encode it (a space is %20)' };
}
