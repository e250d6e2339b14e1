import type { Deployment } from '../log/deployment.js';
import { fieldOf, FIELDS_OF, withField, type FieldName, type RecordFields, type RecordKind } from '../log/fields.js';
import { deprecationFields, joinDeprecation, joinLoadFailure, loadFailureFields } from '../log/record.js';
import { stampAt } from '../log/timestamp.js';
import { drawBelow, drawOne, type Draw } from '../requests/draws.js';
import { OBSERVED_TARGETS } from '../requests/synth/weighted-targets.js';
import type { Change, Groups } from './fault.js';

/** Changes one field of a record to another valid value: timestamp, offset, zone, path, line number, method or target. */
export function alter([group]: Groups, draw: Draw, { deployment }: { readonly deployment: Deployment }): Change {
  const { count, second } = group;
  const { timestamp, utcOffset } = group.stamp;
  const { method: httpMethod, target: requestTarget } = group.request;
  const at = drawBelow(count, draw);
  const plugin = deployment.plugins[at];
  const surroundings = { second, deployment, draw };
  const { record, ...change } =
    plugin === undefined
      ? alterRecord('deprecation', { timestamp, ...deprecationFields(deployment) }, joinDeprecation, surroundings)
      : alterRecord(
          'load_failure',
          { timestamp, utcOffset, httpMethod, requestTarget, ...loadFailureFields(deployment, plugin) },
          joinLoadFailure,
          surroundings,
        );
  const parts = group.replace(group.startOf(at), group.endOf(at), `${record}\n`);
  return { parts, at, touched: 1, details: { kind: 'altered', ...change } };
}

interface Alteration {
  readonly field: FieldName;
  readonly from: string | number;
  readonly to: string | number;
  readonly record: string;
}

interface Surroundings {
  readonly second: number;
  readonly deployment: Deployment;
  readonly draw: Draw;
}

function alterRecord<Fields extends RecordFields>(
  kind: RecordKind,
  fields: Fields,
  join: (fields: Fields) => string,
  surroundings: Surroundings,
): Alteration {
  const { deployment, draw } = surroundings;
  const isShown = (name: FieldName): boolean => deployment.driver === 'file' || !STAMP_FIELDS.includes(name);
  const field = drawOne(
    FIELDS_OF[kind].filter((name) => DRAWS[name] !== undefined && isShown(name)),
    draw,
  );
  const from = fieldOf(fields, field) ?? '';
  const to = DRAWS[field]?.(String(from), surroundings) ?? from;
  return { field, from, to, record: join(withField(fields, field, to)) };
}

const OFFSETS = ['+0000', '+0100', '+0200', '+0530', '+0930', '-0330', '-0500', '-0800'];
const ZONES = ['UTC', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney'];
const ROOTS = ['/usr/share/roundcube', '/var/lib/roundcube', '/srv/www/webmail', '/opt/roundcubemail'];
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PROPFIND'];
const TARGETS = OBSERVED_TARGETS.map(({ target }) => target);

type DrawValue = (value: string, surroundings: Surroundings) => string | number;

const DRAWS: Readonly<Partial<Record<FieldName, DrawValue>>> = {
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

/** Only the driver `file` writes a stamp. */
const STAMP_FIELDS: readonly FieldName[] = ['timestamp', 'utc_offset', 'timezone_name'];

/** No clock has been set back by less than this since 1970, so any other second within this time shows another time. */
const MOST_SECONDS_AWAY = 300;
/** Before the end of the year 9999 on any clock. */
const LAST_SECOND = Date.UTC(9999, 11, 30) / 1000;

/** Draws a time up to five minutes before or after that of the group. */
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

function drawPath(value: string, { draw }: Surroundings): string {
  const { 0: shared, index } = SHARED_PART.exec(value) ?? { 0: `/${value}`, index: 0 };
  return drawOther(ROOTS, value.slice(0, index), draw) + shared;
}

function drawOf(values: readonly string[]): (value: string, surroundings: Surroundings) => string {
  return (value, { draw }) => drawOther(values, value, draw);
}

function drawOther(values: readonly string[], value: string, draw: Draw): string {
  return drawOne(
    values.filter((other) => other !== value),
    draw,
  );
}
