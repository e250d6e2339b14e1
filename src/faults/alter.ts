import type { Deployment } from '../log/deployment.js';
import {
  deprecationFields,
  joinDeprecation,
  joinDescriptor,
  joinLoadFailure,
  loadFailureFields,
  type DeprecationFields,
  type LoadFailureFields,
} from '../log/record.js';
import { stampAt } from '../log/timestamp.js';
import { drawBelow, drawOne, type Draw } from '../requests/draws.js';
import { OBSERVED_TARGETS } from '../requests/synth/weighted-targets.js';
import type { Change, Groups } from './fault.js';

/** Changes one field of a record to another valid value: timestamp, offset, zone, path, line number, method or target. */
export function alter([group]: Groups, draw: Draw, { deployment }: { readonly deployment: Deployment }): Change {
  const { count, second } = group;
  const { timestamp, utcOffset } = group.stamp;
  const { method, target } = group.request;
  const at = drawBelow(count, draw);
  const plugin = deployment.plugins[at];
  const surroundings = { second, deployment, draw };
  const { field, from, to, record } =
    plugin === undefined
      ? // The spread comes last because V8 builds such objects faster.
        drawOne(DEPRECATION_FIELDS, draw)({ timestamp, ...deprecationFields(deployment) }, surroundings)
      : drawOne(LOAD_FAILURE_FIELDS, draw)(
          { timestamp, utcOffset, method, target, ...loadFailureFields(deployment, plugin) },
          surroundings,
        );
  const parts = group.replace(group.startOf(at), group.endOf(at), `${record}\n`);
  return { parts, lineCount: count, at, touched: 1, details: { kind: 'altered', field, from, to } };
}

/** The fields of a load-failure record (2.1). */
interface WholeLoadFailure extends LoadFailureFields {
  readonly method: string;
  readonly target: string;
}

/** The change of a field. */
interface Alteration {
  /** The name of the field in `parse --as records`. */
  readonly field: string;
  readonly from: string | number;
  readonly to: string | number;
  /** The changed record: a byte string without an LF at its end. */
  readonly record: string;
}

/** The values that a drawn value depends on. */
interface Surroundings {
  /** The Unix second of the group. */
  readonly second: number;
  readonly deployment: Deployment;
  readonly draw: Draw;
}

type AlterField<Fields> = (fields: Fields, surroundings: Surroundings) => Alteration;

/** Makes functions that change one field of a kind of record. @param join writes a record from its fields */
function alterIn<Fields extends Readonly<Record<keyof Fields, string | number>>>(join: (fields: Fields) => string) {
  return <Key extends keyof Fields>(
      /** The name of the field in `parse --as records`. */
      field: string,
      key: Key,
      /** Draws a value that differs from the present value. */
      drawValue: (value: Fields[Key], surroundings: Surroundings) => Fields[Key],
    ): AlterField<Fields> =>
    (fields, surroundings) => {
      const from = fields[key];
      const to = drawValue(from, surroundings);
      const altered = { ...fields };
      altered[key] = to;
      return { field, from, to, record: join(altered) };
    };
}

const alterLoadFailure = alterIn((fields: WholeLoadFailure) =>
  joinLoadFailure(fields, joinDescriptor(fields.method, fields.target)),
);
const alterDeprecation = alterIn(joinDeprecation);

const OFFSETS = ['+0000', '+0100', '+0200', '+0530', '+0930', '-0330', '-0500', '-0800'];
const ZONES = ['UTC', 'Europe/Berlin', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney'];
const ROOTS = ['/usr/share/roundcube', '/var/lib/roundcube', '/srv/www/webmail', '/opt/roundcubemail'];
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'PROPFIND'];
const TARGETS = OBSERVED_TARGETS.map(({ target }) => target);

const LOAD_FAILURE_FIELDS: readonly AlterField<WholeLoadFailure>[] = [
  alterLoadFailure('timestamp', 'timestamp', drawTimestamp),
  alterLoadFailure('utc_offset', 'utcOffset', drawOf(OFFSETS)),
  alterLoadFailure('plugin_file_path', 'pluginFilePath', drawPath),
  alterLoadFailure('plugin_loader_file_path', 'pluginLoaderFilePath', drawPath),
  alterLoadFailure('line_number', 'lineNumber', drawLineNumber),
  alterLoadFailure('http_method', 'method', drawOf(METHODS)),
  alterLoadFailure('request_target', 'target', drawOf(TARGETS)),
];

const DEPRECATION_FIELDS: readonly AlterField<DeprecationFields>[] = [
  alterDeprecation('timestamp', 'timestamp', drawTimestamp),
  alterDeprecation('timezone_name', 'timezoneName', drawOf(ZONES)),
  alterDeprecation('session_file_path', 'sessionFilePath', drawPath),
  alterDeprecation('line_number', 'lineNumber', drawLineNumber),
];

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

function drawLineNumber(value: number, { draw }: Surroundings): number {
  const drawn = 1 + drawBelow(MOST_LINES, draw);
  return drawn === value ? drawn + 1 : drawn;
}

/** The part of a path that another installation shares: below the folder of the plugins or the program, else the name of the file. */
const SHARED_PART = /\/(?:plugins|program)\/.*|\/[^/]*$/s;

/** Moves a path to another install root. */
function drawPath(value: string, { draw }: Surroundings): string {
  const { 0: shared, index } = SHARED_PART.exec(value) ?? { 0: `/${value}`, index: 0 };
  return drawOther(ROOTS, value.slice(0, index), draw) + shared;
}

/** Makes a function that draws another of these values. */
function drawOf(values: readonly string[]): (value: string, surroundings: Surroundings) => string {
  return (value, { draw }) => drawOther(values, value, draw);
}

function drawOther(values: readonly string[], value: string, draw: Draw): string {
  return drawOne(
    values.filter((other) => other !== value),
    draw,
  );
}
