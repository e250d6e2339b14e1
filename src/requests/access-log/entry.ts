import type { Zone } from '../../log/zone.js';
import { parseInstant } from '../instant.js';
import { checkMethod, checkTarget, type ListedRequest } from '../request.js';

/** The values of a line of an access log; method and target are byte strings. */
interface EntryTexts {
  readonly time: string;
  readonly method: string;
  readonly target: string;
  /** Undefined where the log does not have it. */
  readonly status: string | undefined;
}

/** What is known of a line besides its text. */
export interface LineContext {
  /** The zone of a time without an offset. */
  readonly zone: Zone;
  readonly line: number;
  readonly source: string | undefined;
}

/** A well-formed line of an access log. */
export interface Entry {
  readonly request: ListedRequest;
  readonly status: string | undefined;
}

/** Makes the entry of a line; undefined if a value is not valid. */
export function entryOf({ time, method, target, status }: EntryTexts, { zone, line, source }: LineContext): Entry | undefined {
  const millisecond = parseInstant(time, zone);
  if (typeof millisecond !== 'number' || checkMethod(method) !== undefined || checkTarget(target) !== undefined) return undefined;
  const request = { millisecond, method, target, line };
  return { request: source === undefined ? request : { ...request, source }, status };
}
