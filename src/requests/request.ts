import { isFieldText } from '../log/byte-string.js';
import type { LogRequest } from '../log/group.js';

/** A request that was read from a list. */
export interface ListedRequest extends LogRequest {
  readonly line: number;
}

/** A fault of a value, and its remedy, as messages word them. */
export interface Fault {
  readonly problem: string;
  readonly remedy: string;
}

/** An HTTP token (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Origin-form, or absolute-form with an authority; the bytes that `isFieldText` allows. */
const TARGET = /^(?:\/|https?:\/\/(?![/?#])[\x21-\x7e\x80-\xff])[\x21-\x7e\x80-\xff]*$/i;

/** The beginning of an absolute-form target that names no host. */
const NO_HOST = /^https?:\/\/(?:[/?#]|$)/i;

/** Finds the fault of a byte string that is not an `<http_method>`; undefined if the byte string is valid. */
export function findMethodFault(method: string): Fault | undefined {
  return TOKEN.test(method) ? undefined : { problem: 'is not an HTTP method', remedy: 'give one such as GET, or none for GET' };
}

/**
 * Finds the fault of a byte string that is not a `<request_target>`: origin-form (`/…`) or absolute-form (`http://…`,
 * `https://…`, in any case), of bytes 0x21 to 0xFF except 0x7F. Any other byte could forge a record.
 *
 * @returns undefined if the byte string is valid
 */
export function findTargetFault(target: string): Fault | undefined {
  if (TARGET.test(target)) return undefined;
  if (target === '') return { problem: 'is empty', remedy: 'give a path such as /mail/' };
  if (NO_HOST.test(target) && isFieldText(target)) {
    return { problem: 'names no host', remedy: 'give one, as in http://host/mail/, or the path alone' };
  }
  if (isFieldText(target)) return { problem: 'is not a request target', remedy: 'start it with / or http://' };
  // `/[ \t]+$/` would take quadratic time for many blanks before another character.
  if (isFieldText(target.trim())) {
    return { problem: 'has a blank before or after it', remedy: 'take the blank away' };
  }
  return { problem: 'holds a space or a control character', remedy: 'percent-encode it (a space is %20)' };
}
