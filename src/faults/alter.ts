import type { Deployment } from '../log/deployment.js';
import { formatRecord, parseRecord, type Deprecation, type LoadFailure, type LogRecord } from '../log/line.js';
import { stampAt } from '../log/timestamp.js';
import { drawBelow, drawOne, type Draw } from '../requests/draws.js';
import { OBSERVED_TARGETS } from '../requests/synth/weighted-targets.js';
import { changeTo, type Change } from './fault.js';
import type { HeldGroup } from './held-group.js';
import { replace } from './record-changes.js';

/**
 * Gives one field of a record of a group another valid value: timestamp, offset, zone, path, line number, method or target.
 *
 * @returns undefined if the record cannot be read back: its line number has more than 15 digits
 */
export function alter({ records, second }: HeldGroup, deployment: Deployment, draw: Draw): Change | undefined {
  const at = drawBelow(records.length, draw);
  const record = parseRecord(records[at] ?? '');
  if (record === undefined) return undefined;
  const surroundings = { second, deployment, draw };
  const { field, from, to, altered } =
    record.kind === 'load_failure'
      ? drawOne(LOAD_FAILURE_FIELDS, draw)(record, surroundings)
      : drawOne(DEPRECATION_FIELDS, draw)(record, surroundings);
  const details = { kind: 'altered', field, from, to } as const;
  return changeTo(replace(records, at, 1, [formatRecord(altered)]), at, 1, details);
}

/** A field of a record with another value. */
interface Alteration {
  /** As `parse --as records` names it. */
  readonly field: string;
  readonly from: string | number;
  readonly to: string | number;
  /** The record with that value. */
  readonly altered: LogRecord;
}

/** What a value is drawn by. */
interface Surroundings {
  /** The Unix second of the group. */
  readonly second: number;
  readonly deployment: Deployment;
  readonly draw: Draw;
}

type AlterField<R extends LogRecord> = (record: R, surroundings: Surroundings) => Alteration;

function alterField<R extends LogRecord, V extends string | number>(
  field: string,
  valueOf: (record: R) => V,
  drawValue: (value: V, surroundings: Surroundings) => V,
  put: (record: R, value: V) => LogRecord,
): AlterField<R> {
  return (record, surroundings) => {
    const from = valueOf(record);
    const to = drawValue(from, surroundings);
    return { field, from, to, altered: put(record, to) };
  };
}

const OFFSETS = ['+0000', '+0100', '+0200', '+0530', '+0930', '-0330', '-0500', '-0800'];
const ZONES = ['UTC', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney'];
const ROOTS = ['/usr/share/roundcube', '/var/lib/roundcube', '/srv/www/webmail', '/opt/roundcubemail'];
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PROPFIND'];
const TARGETS = OBSERVED_TARGETS.map(({ target }) => target);

const LOAD_FAILURE_FIELDS: readonly AlterField<LoadFailure>[] = [
  alterField(
    'timestamp',
    ({ timestamp }) => timestamp,
    drawTimestamp,
    (record, timestamp) => ({ ...record, timestamp }),
  ),
  alterField(
    'utc_offset',
    ({ utcOffset }) => utcOffset,
    (value, { draw }) => drawOther(OFFSETS, value, draw),
    (record, utcOffset) => ({ ...record, utcOffset }),
  ),
  alterField(
    'plugin_file_path',
    ({ pluginFilePath }) => pluginFilePath,
    drawPath,
    (record, pluginFilePath) => ({ ...record, pluginFilePath }),
  ),
  alterField(
    'plugin_loader_file_path',
    ({ pluginLoaderFilePath }) => pluginLoaderFilePath,
    drawPath,
    (record, pluginLoaderFilePath) => ({ ...record, pluginLoaderFilePath }),
  ),
  alterField(
    'line_number',
    ({ lineNumber }) => lineNumber,
    drawLineNumber,
    (record, lineNumber) => ({ ...record, lineNumber }),
  ),
  alterField(
    'http_method',
    ({ httpMethod }) => httpMethod,
    (value, { draw }) => drawOther(METHODS, value, draw),
    (record, httpMethod) => ({ ...record, httpMethod }),
  ),
  alterField(
    'request_target',
    ({ requestTarget }) => requestTarget,
    (value, { draw }) => drawOther(TARGETS, value, draw),
    (record, requestTarget) => ({ ...record, requestTarget }),
  ),
];

const DEPRECATION_FIELDS: readonly AlterField<Deprecation>[] = [
  alterField(
    'timestamp',
    ({ timestamp }) => timestamp,
    drawTimestamp,
    (record, timestamp) => ({ ...record, timestamp }),
  ),
  alterField(
    'timezone_name',
    ({ timezoneName }) => timezoneName,
    (value, { draw }) => drawOther(ZONES, value, draw),
    (record, timezoneName) => ({ ...record, timezoneName }),
  ),
  alterField(
    'session_file_path',
    ({ sessionFilePath }) => sessionFilePath,
    drawPath,
    (record, sessionFilePath) => ({ ...record, sessionFilePath }),
  ),
  alterField(
    'line_number',
    ({ lineNumber }) => lineNumber,
    drawLineNumber,
    (record, lineNumber) => ({ ...record, lineNumber }),
  ),
];

/** No clock has been set back by less than this since 1970, so that another second shows another time. */
const MOST_SECONDS_AWAY = 300;
/** Late in the year 9999, by any clock. */
const LAST_SECOND = Date.UTC(9999, 11, 30) / 1000;

/** A time up to five minutes before or after that of the group. */
function drawTimestamp(_value: string, { second, deployment, draw }: Surroundings): string {
  const away = 1 + drawBelow(MOST_SECONDS_AWAY - 1, draw);
  const isBefore = drawBelow(2, draw) === 1;
  const isPossible = isBefore ? second >= MOST_SECONDS_AWAY : second <= LAST_SECOND;
  return stampAt(isBefore === isPossible ? second - away : second + away, deployment).timestamp;
}

const MOST_LINES = 999;

function drawLineNumber(value: number, { draw }: Surroundings): number {
  const drawn = 1 + drawBelow(MOST_LINES, draw);
  return drawn === value ? drawn + 1 : drawn;
}

/** The same path under another install root. */
function drawPath(value: string, { deployment: { installRoot }, draw }: Surroundings): string {
  return drawOther(ROOTS, installRoot, draw) + value.slice(installRoot.length);
}

function drawOther(values: readonly string[], value: string, draw: Draw): string {
  return drawOne(
    values.filter((other) => other !== value),
    draw,
  );
}
