import { CallError } from '../errors.js';
import { countOfKind, type ComparisonFinding, type ComparisonSummary } from './findings.js';
import { formOf } from './form.js';
import { Join, type ComparedInput } from './join.js';
import type { CompareOptions } from './options.js';
import { ReceivedForm } from './received-form.js';
import { MAX_INPUTS, type RecordBlock, type RecordReader } from './records.js';
import { Settle } from './settle.js';
import { Stretches } from './stretches.js';

const LINES = { as: 'lines' } as const;

/** The blocks of one side; undefined where there is none at present. */
export type Blocks = AsyncGenerator<RecordBlock | undefined, undefined>;

/**
 * The parts of one comparison, of logs that are read once or grow:
 *
 *     bytes ── RecordReader ── RecordBlock ── Side ─┐        equal bytes and records        ┌─ Order: runs that were delivered
 *     (raw lines, JSON, fields)                     ├─ Join ────────────────────────────────┤
 *     bytes ── RecordReader ── RecordBlock ── Side ─┘   ↑ a Ring a side: records that wait  └─ Recent: what was delivered lately
 *                                                       ↓ Texts, by their addresses
 *                                                     Settle: a gap of Order becomes findings ── Stretches ── findings
 */
export class Comparer {
  readonly join: Join;
  /** Turn the bytes of the expected log, and of each received input, into records. */
  readonly sentReader: RecordReader;
  readonly receivedReaders: readonly RecordReader[];
  readonly #options: CompareOptions;
  readonly #observed = new ReceivedForm();
  readonly #settle: Settle;
  readonly #stretches: Stretches;

  /** @param isGrowing true if the inputs are still being written */
  constructor(expected: ComparedInput, received: readonly ComparedInput[], options: CompareOptions, isGrowing: boolean) {
    const { comparison = LINES, kind, isLossy = false, allowed, max = Infinity } = options;
    if (received.length > MAX_INPUTS) {
      const problem = `more than ${String(MAX_INPUTS)} received inputs`;
      throw new CallError({ source: received[0]?.source ?? '' }, problem, 'concatenate some of them');
    }
    const form = formOf({ comparison, kind, isLossy, isGrowing, observed: this.#observed });
    this.#options = options;
    this.#stretches = new Stretches(allowed, max);
    this.join = new Join({ ...form, sent: [expected], received, isGrowing });
    this.#settle = new Settle(this.join, form.findAlteration, this.#stretches);
    this.sentReader = form.sentReader(expected.readAt !== undefined);
    this.receivedReaders = received.map(({ readAt }, input) => form.receivedReader(input, readAt !== undefined));
  }

  /** Compares what there is at present. */
  async *compare(blocks: { readonly sent: Blocks; readonly received: Blocks }): AsyncGenerator<readonly ComparisonFinding[]> {
    const { join } = this;
    join.sent.isDry = false;
    join.received.isDry = false;
    for (let need = join.next(); need !== undefined; need = join.next()) {
      if (need === 'decision') {
        yield* this.#settle.decide(false);
        continue;
      }
      join[need].keep();
      const { value } = await blocks[need].next();
      if (value === undefined) join[need].isDry = true;
      else join[need].append(value);
    }
  }

  /** Decides about all that waits, at the end. */
  end(): Generator<readonly ComparisonFinding[]> {
    return this.#settle.decide(true);
  }

  /** The numbers of the comparison so far. */
  get summary(): ComparisonSummary {
    const { comparison = LINES, isLossy = false } = this.#options;
    const { counts, findings } = this.#stretches;
    const recordsSent = this.join.sent.record;
    const recordsDelivered = recordsSent - countOfKind(counts, 'missing') - countOfKind(counts, 'altered');
    const mismatch = this.#observed.findMismatch(comparison.as, recordsSent === 0 || recordsDelivered > 0);
    return {
      recordsSent,
      recordsDelivered,
      // A record of a log that grows may also differ in the instant that was not meant.
      lossy: isLossy ? this.join.lossy : 0,
      expectedPassedOver: this.sentReader.passedOver,
      receivedPassedOver: this.receivedReaders.reduce((sum, { passedOver }) => sum + passedOver, 0),
      counts,
      findings,
      ...(mismatch !== undefined && { mismatch }),
    };
  }

  close(): void {
    for (const { texts } of [this.join.sent, this.join.received]) texts.clear();
  }
}
