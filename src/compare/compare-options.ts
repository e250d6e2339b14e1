import type { Chunks } from '../lines.js';
import type { LogRecord } from '../log/line.js';
import type { FindingKind } from './kinds.js';
import type { FieldPaths } from './parsed-fields.js';
import type { ReadAt } from './read-ahead.js';
import type { ComparisonSummary } from './summary.js';

/** An input of a comparison. */
export interface ComparedSource {
  /** The name in findings. */
  readonly source: string;
  /** Its bytes, unpacked, to be read once. A chunk is good until the next one is asked for. */
  readonly chunks: Chunks;
  /**
   * Reads the very bytes of `chunks` once more, at any place. Left out where that cannot be done (a pipe, a packed file): the expected
   * log is then copied to a temporary file, and so are received records that wait for their counterparts.
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
  /** At most so many findings are given; all are counted. Default: no limit. */
  readonly max?: number;
  /** Called once, when all has been read. */
  readonly onEnd?: (summary: ComparisonSummary) => void;
}
