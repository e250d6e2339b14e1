import { refuseOption } from '../errors.js';
import { zoneNamed } from '../log/zone.js';
import { parseInstant } from './instant.js';

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
