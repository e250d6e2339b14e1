import { CallError } from '../errors.js';
import { parseRecord } from '../log/line.js';
import { findAlteration, findParsedAlteration } from './alteration.js';
import { digestBytes, type DigestRecord } from './digest.js';
import { ExpectedFields, instantChoices, instantForm, readGrowingFields, readLineField, readParsedFields } from './fields.js';
import { countOfKind, Latencies, type ComparisonFinding, type ComparisonSummary } from './findings.js';
import type { FindAlteration } from './gap-pairs.js';
import { Join } from './join.js';
import { readObjects } from './json-records.js';
import { digestLossy, isLossyCopy } from './lossy.js';
import type { ComparedSource, CompareOptions, Comparison } from './options.js';
import { ReceivedForm } from './received-form.js';
import { LineRecords, MAX_INPUTS, RawRecords, type ReadLine, type RecordBlock, type RecordReader } from './records.js';
import { Settle } from './settle.js';
import { Stretches } from './stretches.js';
import { Texts } from './texts.js';

/** An input of a comparison: its name, and how it is read again. */
type ComparedInput = Pick<ComparedSource, 'source' | 'readAt'>;

/** The blocks of one side; undefined where there is none at present. */
export type Blocks = AsyncGenerator<RecordBlock | undefined, undefined>;

/**
 * The parts of one comparison, of logs that are read once or grow:
 *
 *     bytes ── RecordReader ── RecordBlock ── Side ─┐        equal bytes and records        ┌─ Order: runs that were delivered
 *     (raw lines, JSON, fields)                     ├─ Join ────────────────────────────────┤
 *     bytes ── RecordReader ── RecordBlock ── Side ─┘   ↑ a Ring a side: records that wait  └─ Recent: what was delivered lately
 *                                                       ↓ Texts, by their places
 *                                                     Settle: a gap of Order becomes findings ── Stretches ── findings
 */
export class Comparer {
  readonly join: Join;
  readonly settle: Settle;
  readonly latencies = new Latencies();
  /** Turn the bytes of the expected log, and of each received input, into records. */
  readonly sentReader: RecordReader;
  readonly receivedReaders: readonly RecordReader[];
  readonly #comparison: Comparison;
  readonly #isLossy: boolean;
  readonly #form = new ReceivedForm();
  readonly #stretches: Stretches;
  readonly #texts: readonly Texts[];

  /** @param isGrowing true if the inputs are still being written */
  constructor(expected: ComparedInput, received: readonly ComparedInput[], options: CompareOptions, isGrowing: boolean) {
    const { comparison = { as: 'lines' }, kind, isLossy = false, allowed, max = Infinity } = options;
    if (received.length > MAX_INPUTS) {
      const problem = `more than ${String(MAX_INPUTS)} received inputs`;
      throw new CallError({ source: received[0]?.source ?? '' }, problem, 'concatenate some of them');
    }
    const sentTexts = new Texts([expected.readAt]);
    const receivedTexts = new Texts(received.map(({ readAt }) => readAt));
    const { digestRecord, isSame, findAlteration } = matchingOf(comparison, isLossy, isGrowing);
    this.#comparison = comparison;
    this.#isLossy = isLossy;
    this.#texts = [sentTexts, receivedTexts];
    this.#stretches = new Stretches(allowed, max);
    this.join = new Join({ digestRecord, isSame, sentTexts, receivedTexts, latencies: this.latencies, isGrowing });
    this.settle = new Settle(this.join, {
      findAlteration,
      sent: { sources: [expected.source], texts: sentTexts },
      received: { sources: received.map(({ source }) => source), texts: receivedTexts },
      stretches: this.#stretches,
    });
    this.sentReader = sentReader(comparison, kind, expected.readAt !== undefined, isGrowing);
    this.receivedReaders = received.map(({ readAt }, input) =>
      receivedReader({ comparison, input, isRereadable: readAt !== undefined, isGrowing, form: this.#form }),
    );
  }

  /** Compares what there is at present. */
  async *compare(blocks: { readonly sent: Blocks; readonly received: Blocks }): AsyncGenerator<readonly ComparisonFinding[]> {
    const { join, settle } = this;
    join.sent.isDry = false;
    join.received.isDry = false;
    for (let need = join.next(); need !== undefined; need = join.next()) {
      if (need === 'decision') {
        yield* settle.decide(false);
        continue;
      }
      join[need].keep();
      const { value } = await blocks[need].next();
      if (value === undefined) join[need].isDry = true;
      else join[need].append(value);
    }
  }

  /** The numbers of the comparison so far. */
  get summary(): ComparisonSummary {
    const { counts, findings } = this.#stretches;
    const recordsSent = this.join.sent.record;
    const recordsDelivered = recordsSent - countOfKind(counts, 'missing') - countOfKind(counts, 'altered');
    const mismatch = this.#form.findMismatch(this.#comparison.as, recordsSent === 0 || recordsDelivered > 0);
    return {
      recordsSent,
      recordsDelivered,
      // A record of a log that grows may also differ in the instant that was not meant.
      lossy: this.#isLossy ? this.join.lossy : 0,
      expectedPassedOver: this.sentReader.passedOver,
      receivedPassedOver: this.receivedReaders.reduce((sum, { passedOver }) => sum + passedOver, 0),
      counts,
      findings,
      ...(mismatch !== undefined && { mismatch }),
    };
  }

  close(): void {
    for (const texts of this.#texts) texts.clear();
  }
}

interface ReceivedOptions {
  readonly comparison: Comparison;
  /** The number of the input, from 0. */
  readonly input: number;
  readonly isRereadable: boolean;
  readonly isGrowing: boolean;
  /** Is shown what comes. */
  readonly form: ReceivedForm;
}

/** Makes the reader of a received input. */
export function receivedReader({ comparison, input, isRereadable, isGrowing, form }: ReceivedOptions): RecordReader {
  if (comparison.as === 'lines') return new RawRecords(input, isRereadable, isGrowing, form);
  const objects = comparison.as === 'field' ? readLineField(comparison.path) : readParsedFields(comparison.fields);
  return new LineRecords(input, readObjects(objects, form), true);
}

/** Makes the reader of the expected log. */
export function sentReader(
  comparison: Comparison,
  kind: CompareOptions['kind'],
  isRereadable: boolean,
  isGrowing: boolean,
): RecordReader {
  if (comparison.as === 'fields') {
    const options = { fields: comparison.fields, kind };
    return isGrowing ? new LineRecords(0, readGrowingFields(options), false) : new ExpectedFields(options);
  }
  if (kind === undefined) return new RawRecords(0, isRereadable, isGrowing);
  const readOfKind: ReadLine = (line, block) => {
    if (parseRecord(line)?.kind !== kind) return 1;
    block.add(line);
    return 0;
  };
  return new LineRecords(0, readOfKind, false);
}

/** The equality of records. */
export interface Matching {
  /** Equal records have equal digests. */
  readonly digestRecord: DigestRecord;
  /** Tells whether records with equal digests are equal; undefined where they always are. */
  readonly isSame: ((sent: Buffer, received: Buffer) => boolean) | undefined;
  readonly findAlteration: FindAlteration;
}

/** The equality of records for a comparison. @param isGrowing true if the logs are still being written */
export function matchingOf(comparison: Comparison, isLossy: boolean, isGrowing: boolean): Matching {
  const digestRecord = isLossy ? digestLossy : digestBytes;
  const isEqual = (sent: string, received: string): boolean => sent === received || (isLossy && isLossyCopy(sent, received));
  const isSame = (sent: Buffer, received: Buffer): boolean => isEqual(sent.toString('latin1'), received.toString('latin1'));
  const ordinary = { digestRecord, isSame: isLossy ? isSame : undefined };
  if (comparison.as !== 'fields') return { ...ordinary, findAlteration };
  const { fields } = comparison;
  // Of a log that grows, a deprecation record may have two instants.
  if (isGrowing && fields.has('instant')) {
    return {
      digestRecord: (bytes, start, end, digest) => {
        const form = Buffer.from(instantForm(bytes.toString('latin1', start, end)), 'latin1');
        digestRecord(form, 0, form.length, digest);
      },
      isSame: (sent, received) => {
        const came = received.toString('latin1');
        return instantChoices(sent.toString('latin1')).some((choice) => isEqual(choice, came));
      },
      findAlteration: findParsedAlteration(fields),
    };
  }
  return { ...ordinary, findAlteration: findParsedAlteration(fields) };
}
