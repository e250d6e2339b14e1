import { refuseOption } from '../errors.js';
import { zoneNamed } from '../log/zone.js';
import { findInstantFault, parseInstant } from './instant.js';

/**
 * Reads a point in time, in any form that a request list takes, or `now`.
 *
 * @param name the option in messages: `--from`
 * @param timezone the time zone of a time that is given without an offset
 * @returns Unix time in milliseconds, or `now`
 * @throws CallError
 */
export function parseTime(name: string, text: string, timezone: string): number | 'now' {
  if (text === 'now') return text;
  const instant = parseInstant(text, zoneNamed(timezone));
  if (typeof instant === 'number') return instant;
  throw refuseOption(name, text, instant.problem, instant.remedy);
}

/**
 * A point in time: Unix time in milliseconds, or a text in any form that a request list takes, such as `2025-05-18T12:00:00+02:00`. A text
 * without an offset is on the clock of the deployment's zone. `now` is the moment at which the time is needed.
 */
export type Time = number | string;

/** Checks that a value is of the type of a time. @throws TypeError */
export function requireTime(value: unknown, name: string): void {
  if (typeof value === 'string' || Number.isFinite(value)) return;
  throw new TypeError(`${name} is not a time; give Unix time in milliseconds, or a text such as '2025-05-18T12:00:00+02:00'`);
}

/** Resolves a time to Unix time in whole milliseconds. @throws CallError that names the option */
export function resolveTime(name: string, time: Time, timezone: string): number {
  if (typeof time === 'string') {
    const parsed = parseTime(name, time, timezone);
    return parsed === 'now' ? Date.now() : parsed;
  }
  const fault = findInstantFault(time, zoneNamed(timezone));
  if (fault !== undefined) throw refuseOption(name, String(time), fault.problem, fault.remedy);
  return Math.floor(time);
}
