import type { Deployment } from '../log/deployment.js';
import { RECORD_KINDS, regexOf, type FieldName } from '../log/fields.js';
import { stampAt } from '../log/timestamp.js';
import { drawBelow, drawOne, type Draw } from '../requests/draws.js';
import { OBSERVED_TARGETS } from '../requests/synth/weighted-targets.js';
import { replaceLines, type Change, type Groups } from './fault.js';

const PATTERNS = RECORD_KINDS.map(
  (kind) =>
    new RegExp(
      regexOf(kind, (field) => `(?<${field}>`),
      'd',
    ),
);

/** Changes one field of a record to another valid value: timestamp, offset, zone, path, line number, method or target. */
export function alter([{ lines, second }]: Groups, draw: Draw, { deployment }: { readonly deployment: Deployment }): Change {
  const at = drawBelow(lines.length, draw);
  const record = lines[at] ?? '';
  const match = PATTERNS.map((pattern) => pattern.exec(record)).find((found) => found !== null);
  const places = match?.indices?.groups ?? {};
  // Only the driver `file` writes a stamp.
  const isShown = (name: string): boolean => deployment.driver === 'file' || !STAMP_FIELDS.includes(name);
  const shown = Object.entries(DRAWS).filter(([name]) => places[name] !== undefined && isShown(name));
  const [field, drawValue] = drawOne(shown, draw);
  const [start, end] = places[field] ?? [0, 0];
  const value = record.slice(start, end);
  const to = drawValue(value, { second, deployment, draw });
  const from = typeof to === 'number' ? Number(value) : value;
  const altered = record.slice(0, start) + String(to) + record.slice(end);
  return replaceLines(lines, at, 1, [altered], { kind: 'altered', field, from, to });
}

interface Surroundings {
  readonly second: number;
  readonly deployment: Deployment;
  readonly draw: Draw;
}

type DrawValue = (value: string, surroundings: Surroundings) => string | number;

const OFFSETS = ['+0000', '+0100', '+0200', '+0530', '+0930', '-0330', '-0500', '-0800'];
const ZONES = ['UTC', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney'];
const ROOTS = ['/usr/share/roundcube', '/var/lib/roundcube', '/srv/www/webmail', '/opt/roundcubemail'];
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PROPFIND'];
const TARGETS = OBSERVED_TARGETS.map(({ target }) => target);

const DRAWS: Partial<Record<FieldName, DrawValue>> = {
  timestamp: drawTimestamp,
  utc_offset: drawOf(OFFSETS),
  timezone_name: drawOf(ZONES),
  plugin_file_path: drawPath,
  plugin_loader_file_path: drawPath,
  session_file_path: drawPath,
  line_number: drawLineNumber,
  http_method: drawOf(METHODS),
  request_target: drawOf(TARGETS),
};

const STAMP_FIELDS: readonly string[] = ['timestamp', 'utc_offset', 'timezone_name'];

/** No clock has been set back by less than this since 1970, so any other second within this time shows another time. */
const MOST_SECONDS_AWAY = 300;
/** Before the end of the year 9999 on any clock. */
const LAST_SECOND = Date.UTC(9999, 11, 30) / 1000;

function drawTimestamp(_value: string, { second, deployment, draw }: Surroundings): string {
  const away = 1 + drawBelow(MOST_SECONDS_AWAY - 1, draw);
  const isBefore = drawBelow(2, draw) === 1;
  const isPossible = isBefore ? second >= MOST_SECONDS_AWAY : second <= LAST_SECOND;
  return stampAt(isBefore === isPossible ? second - away : second + away, deployment).timestamp;
}

const MOST_LINES = 999;

function drawLineNumber(value: string, { draw }: Surroundings): number {
  const drawn = 1 + drawBelow(MOST_LINES, draw);
  return drawn === Number(value) ? drawn + 1 : drawn;
}

/** The part of a path that another install root shares: below the folder of the plugins or the program, else the name of the file. */
const SHARED_PART = /\/(?:plugins|program)\/.*|\/[^/]*$/s;

function drawPath(value: string, surroundings: Surroundings): string {
  const { 0: shared, index } = SHARED_PART.exec(value) ?? { 0: `/${value}`, index: 0 };
  return drawOf(ROOTS)(value.slice(0, index), surroundings) + shared;
}

function drawOf(values: readonly string[]): (value: string, surroundings: Surroundings) => string {
  return (value, { draw }) => {
    const others = values.filter((other) => other !== value);
    return drawOne(others, draw);
  };
}
