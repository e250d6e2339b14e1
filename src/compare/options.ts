import {
  isObject,
  requireFunction,
  requireKinds,
  requireMax,
  requireOneOf,
  requireType,
  type OptionChecks,
} from '../arguments.js';
import { ENVELOPE_CHOICES, type EnvelopeChoice } from '../envelope/envelopes.js';
import { refuseUse } from '../errors.js';
import type { Chunks } from '../lines.js';
import { RECORD_KINDS } from '../log/fields.js';
import type { LogRecord } from '../log/line.js';
import { FIELD_NAMES, type FieldName, type FieldPaths } from './fields.js';
import { FINDING_KINDS, type ComparisonSummary, type FindingKind, type FormMismatch } from './findings.js';
import type { ReadAt } from './spilled-texts.js';

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

/** The part of the received input that is compared: its lines; of NDJSON, the line in a field, or the fields of the record. */
export type Comparison =
  | { readonly as: 'lines' }
  | { readonly as: 'field'; readonly path: string }
  | { readonly as: 'fields'; readonly fields: FieldPaths };

/** The options that say what is compared, and which records are equal. */
export interface ComparisonOptions {
  /** Received is NDJSON, and the raw line is in the field at this path: keys with dots between them. Default: received lines are compared. */
  readonly field?: string | undefined;
  /** Received is NDJSON of parsed records, and these fields of a record are at these paths: `{ request_target: 'url.original' }`. */
  readonly fields?: Readonly<Partial<Record<FieldName, string>>> | undefined;
  /** Only records of this kind are compared; left out, all lines are, or where fields are compared, all records. */
  readonly kind?: LogRecord['kind'] | undefined;
  /**
   * Bytes that are not UTF-8 equal what collectors make of them: U+FFFD or `?` for such a byte or for several in a row, or, for every
   * byte from 0x80 on of such a line, the text `\xNN`.
   */
  readonly lossy?: boolean | undefined;
}

/** Options of `compareLogs`: those of the command `compare`. */
export interface CompareOptions extends ComparisonOptions {
  /**
   * The envelope that records are in: what is inside is compared, and one input at least must be in it. `none`: lines are compared as they
   * are. Left out, envelopes are recognised, and opened where the inputs are in different ones.
   */
  readonly envelope?: EnvelopeChoice | undefined;
  /** Findings of these kinds are counted and not given: an array, or a Set. */
  readonly allow?: Iterable<FindingKind> | undefined;
  /** Findings that are given at most; all are counted. Default: no limit. */
  readonly max?: number | undefined;
  /** Called once, before the findings, if the received input as a whole can hardly be compared. */
  readonly onMismatch?: ((mismatch: FormMismatch) => void) | undefined;
  /** Called once, when all has been read. */
  readonly onEnd?: (summary: ComparisonSummary) => void;
}

export const COMPARISON_OPTIONS: OptionChecks<keyof ComparisonOptions> = {
  field: requirePath,
  fields: requireFields,
  kind: requireOneOf(RECORD_KINDS),
  lossy: requireType('boolean'),
};

export const COMPARE_OPTIONS: OptionChecks<keyof CompareOptions> = {
  ...COMPARISON_OPTIONS,
  envelope: requireOneOf(ENVELOPE_CHOICES),
  allow: requireKinds(FINDING_KINDS, 'duplicated'),
  max: requireMax,
  onMismatch: requireFunction,
  onEnd: requireFunction,
};

/** Resolves what is compared. @throws CallError if both options are given */
export function comparisonOf({ field, fields }: ComparisonOptions): Comparison {
  if (field !== undefined && fields !== undefined)
    throw refuseUse('fields', (option) => `cannot be combined with ${option('field')}`, 'give one of the two');
  if (field !== undefined) return { as: 'field', path: field };
  if (fields === undefined) return { as: 'lines' };
  const paths = FIELD_NAMES.flatMap((name) => {
    const path = fields[name];
    return path === undefined ? [] : [[name, path] as const];
  });
  return { as: 'fields', fields: new Map(paths) };
}

function requirePath(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is not a path; give one such as 'event.original'`);
}

function requireFields(value: unknown, name: string): void {
  const fields = isObject(value) ? Object.entries(value).filter(([, path]) => path !== undefined) : [];
  if (fields.length === 0) throw new TypeError(`${name} is not an object of paths; give one such as { request_target: 'url' }`);
  for (const [field, path] of fields) {
    requireOneOf(FIELD_NAMES)(field, `a field in ${name}`);
    requirePath(path, `${name}.${field}`);
  }
}
