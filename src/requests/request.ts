import { isFieldText } from '../log/byte-string.js';
import type { LogRequest } from '../log/group.js';

/** A request of a list. */
export interface ListedRequest extends LogRequest {
  readonly line: number;
}

/** What is wrong with a value, and what to do about it. */
export interface Fault {
  readonly problem: string;
  readonly remedy: string;
}

/** An HTTP token (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Origin-form, or absolute-form with an authority; the bytes that `isFieldText` allows. */
const TARGET = /^(?:\/|https?:\/\/(?![/?#])[\x21-\x7e\x80-\xff])[\x21-\x7e\x80-\xff]*$/i;

/** The beginning of an absolute-form target that ends before a host. */
const NO_HOST = /^https?:\/\/(?:[/?#]|$)/i;

/** What makes a byte string no `<http_method>`; undefined if it is one. */
export function findMethodFault(method: string): Fault | undefined {
  return TOKEN.test(method) ? undefined : { problem: 'is no HTTP method', remedy: 'give one such as GET, or none for GET' };
}

/**
 * What makes a byte string no `<request_target>`; undefined if it is one: origin-form (`/…`) or absolute-form (`http://…`,
 * `https://…`, in any case), of bytes 0x21 to 0xFF less 0x7F. Anything else could forge a record, or is nothing that the log can hold.
 */
export function findTargetFault(target: string): Fault | undefined {
  if (TARGET.test(target)) return undefined;
  if (target === '') return { problem: 'is empty', remedy: 'give a path such as /mail/' };
  if (NO_HOST.test(target) && isFieldText(target)) {
    return { problem: 'names no host', remedy: 'give one, as in http://host/mail/, or the path alone' };
  }
  if (isFieldText(target)) return { problem: 'is no request target', remedy: 'start it with / or http://' };
  // Not /[ \t]+$/, which takes quadratic time where many blanks stand before something else.
  if (isFieldText(target.trim())) {
    return { problem: 'has a blank before or after it', remedy: 'take the blank away' };
  }
  return { problem: 'holds a space or a control character', remedy: 'percent-encode it (a space is %20)' };
}
