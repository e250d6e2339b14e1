import {
  isObject,
  requireFunction,
  requireKinds,
  requireMax,
  requireOneOf,
  requireOptions,
  requireType,
  type OptionChecks,
} from '../arguments.js';
import type { Chunks } from '../lines.js';
import { RECORD_KINDS, type LogRecord } from '../log/line.js';
import { FIELD_NAMES, type FieldPaths } from './fields.js';
import { FINDING_KINDS, type ComparisonSummary, type FindingKind } from './findings.js';
import type { ReadAt } from './texts.js';

/** An input of a comparison. */
export interface ComparedSource {
  /** The name in findings. */
  readonly source: string;
  /** Its bytes, unpacked, to be read once. A chunk is good until the next one is asked for. */
  readonly chunks: Chunks;
  /**
   * Reads the very bytes of `chunks` once more, at any place. Left out where that cannot be done (a pipe, a packed file): records that
   * wait for their counterparts are then kept in memory, and beyond a few MiB in a temporary file.
   */
  readonly readAt?: ReadAt;
}

/** The part of the received input that is compared with the lines of the expected log. */
export type Comparison =
  /** The lines, byte for byte. */
  | { readonly as: 'lines' }
  /** NDJSON: the line is in the field at this path. */
  | { readonly as: 'field'; readonly path: string }
  /** NDJSON: the fields of the record are at these paths. */
  | { readonly as: 'fields'; readonly fields: FieldPaths };

/** Options of `compareLogs`: those of the command `compare`. */
export interface CompareOptions {
  /** The compared part. Default: the lines. */
  readonly comparison?: Comparison;
  /** Only records of this kind are compared; left out, all lines are, or where fields are compared, all records. */
  readonly kind?: LogRecord['kind'];
  /**
   * Bytes that are not UTF-8 equal what collectors make of them: U+FFFD or `?` for such a byte or for several in a row, or, for every
   * byte from 0x80 on of such a line, the text `\xNN`.
   */
  readonly isLossy?: boolean;
  /** Findings of these kinds are counted and not given. */
  readonly allowed?: ReadonlySet<FindingKind>;
  /** Findings that are given at most; all are counted. Default: no limit. */
  readonly max?: number;
  /** Called once, when all has been read. */
  readonly onEnd?: (summary: ComparisonSummary) => void;
}

/** The options of `compareLogs`, each with its check. */
export const COMPARE_OPTIONS: OptionChecks<keyof CompareOptions> = {
  comparison: requireComparison,
  kind: requireOneOf(RECORD_KINDS),
  isLossy: requireType('boolean'),
  allowed: requireKinds(FINDING_KINDS, 'duplicated'),
  max: requireMax,
  onEnd: requireFunction,
};

/** The keys that a comparison must have beside `as`, each with its check. */
const COMPARISONS = new Map<unknown, OptionChecks>([
  ['lines', {}],
  ['field', { path: requirePath }],
  ['fields', { fields: requireFields }],
]);
const requireAs = requireOneOf(Array.from(COMPARISONS.keys(), String));

function requireComparison(value: unknown, name: string): void {
  if (!isObject(value) || !('as' in value)) {
    throw new TypeError(`${name} is not a comparison; give one such as { as: 'field', path: 'message' }`);
  }
  // A comparison that is of no known kind is refused for that, not for its other keys.
  requireAs(value.as, `${name}.as`);
  const checks = COMPARISONS.get(value.as) ?? {};
  requireOptions(value, name, { as: requireAs, ...checks });
  // Required, so checked where they are left out too.
  for (const [key, check] of Object.entries(checks)) check(Reflect.get(value, key), `${name}.${key}`);
}

function requirePath(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is not a path; give one such as 'event.original'`);
}

function requireFields(value: unknown, name: string): void {
  if (!(value instanceof Map) || value.size === 0) {
    throw new TypeError(`${name} is not a Map of paths; give one such as new Map([['request_target', 'url.original']])`);
  }
  for (const [field, path] of value) {
    requireOneOf(FIELD_NAMES)(field, `a field in ${name}`);
    requirePath(path, `the path of ${String(field)} in ${name}`);
  }
}
