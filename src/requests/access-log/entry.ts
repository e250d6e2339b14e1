import type { LogRequest } from '../../log/group.js';
import type { Zone } from '../../log/zone.js';
import { parseInstant } from '../instant.js';
import { checkMethod, checkTarget } from '../request.js';

/** The values of a line of an access log; method and target are byte strings. */
interface EntryTexts {
  readonly time: string;
  readonly method: string;
  readonly target: string;
  /** Undefined where the log does not have it. */
  readonly status: string | undefined;
}

/** A well-formed line of an access log. */
export interface Entry {
  readonly request: LogRequest;
  readonly status: string | undefined;
}

/** Makes the entry of a line; undefined if a value is not valid. @param zone the zone of a time without an offset */
export function entryOf({ time, method, target, status }: EntryTexts, zone: Zone): Entry | undefined {
  const millisecond = parseInstant(time, zone);
  if (typeof millisecond !== 'number' || checkMethod(method) !== undefined || checkTarget(target) !== undefined) return undefined;
  return { request: { millisecond, method, target }, status };
}
