import { isObject, requireOptions, requireSource, requireSources } from '../arguments.js';
import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { CallError } from '../errors.js';
import { Peekable } from '../input/peekable.js';
import { findOpeners, requireEnvelope } from './envelopes.js';
import type { ComparisonFinding, ComparisonSummary, FormMismatch } from './findings.js';
import { formOf } from './form.js';
import { tryParse } from './json-records.js';
import { Join, type ComparedInput } from './join.js';
import { COMPARE_OPTIONS, comparisonOf, type ComparedSource, type CompareOptions } from './options.js';
import { findUnlikeness, ReceivedForm } from './mismatch.js';
import { MAX_INPUTS, type RecordBlock, type RecordReader } from './records.js';
import { GapFindings } from './gap-findings.js';

/**
 * Compares what a pipeline delivered with the log that was sent. Gives batches of findings as they are known, gap by gap in the order of
 * the logs: what is missing in a gap, then what came there.
 * @param received the inputs, in order
 * @throws TypeError if an argument has the wrong type, or an option, a kind or the name of a field is unknown
 * @throws CallError if a temporary file cannot be written, and what reading an input throws
 */
export async function* compareLogs(
  expected: ComparedSource,
  received: readonly ComparedSource[],
  options: CompareOptions = {},
): AsyncGenerator<readonly ComparisonFinding[]> {
  requireSource(expected, 'expected');
  requireSources(received, 'received');
  requireOptions(options, 'options', COMPARE_OPTIONS);
  const inputs = [expected, ...received].map((input) => ({ ...input, chunks: new Peekable(input.chunks) }));
  try {
    const comparer = new Comparer(inputs, options, await findOpeners(inputs, options), false);
    yield* comparer.compare(readBlocks, [NaN]);
    options.onEnd?.(comparer.summary);
  } finally {
    for (const { chunks } of inputs) await chunks.close();
  }
}

async function* readBlocks(inputs: readonly ReadInput<ComparedSource>[]): Blocks {
  for (const { input, reader } of inputs) {
    for await (const chunk of input.chunks) yield* reader.read(chunk);
    yield* reader.read(undefined);
  }
  return undefined;
}

export interface ReadInput<Input extends ComparedInput> {
  readonly input: Input;
  readonly reader: RecordReader;
  readonly opener: EnvelopeOpener | undefined;
}

export type Blocks = AsyncGenerator<RecordBlock | undefined, undefined>;

const LOOKED_AT = 16;

/**
 * One comparison, which goes one way:
 *
 *     bytes ── RecordReader ── RecordBlock ── RecordsAhead ─┐        equal bytes and records        ┌─ Order: runs that were delivered
 *                                                           ├─ Join ────────────────────────────────┤
 *     bytes ── RecordReader ── RecordBlock ── RecordsAhead ─┘   ↑ a Ring a side: records that wait  └─ Recent: what was delivered lately
 *                                                               ↓ SpilledTexts, by their addresses
 *                                                             GapFindings: a gap of Order becomes findings
 */
export class Comparer<Input extends ComparedInput> {
  readonly join: Join;
  readonly #inputs: readonly ReadInput<Input>[];
  readonly #observed = new ReceivedForm();
  readonly #gaps: GapFindings;
  #mismatch: FormMismatch | undefined;

  /** @param openers those of the envelopes of the first inputs */
  constructor(
    inputs: readonly Input[],
    private readonly options: CompareOptions,
    openers: readonly EnvelopeOpener[],
    isGrowing: boolean,
  ) {
    if (inputs.length > MAX_INPUTS) {
      const problem = `more than ${String(MAX_INPUTS - 1)} received inputs`;
      throw new CallError({ source: inputs[1]?.source ?? '' }, problem, 'concatenate some of them');
    }
    const form = formOf(options, isGrowing, this.#observed);
    this.join = new Join({ ...form, sent: inputs.slice(0, 1), received: inputs.slice(1), isGrowing });
    this.#gaps = new GapFindings(this.join, form.findAlteration, options);
    this.#inputs = inputs.map((input, index) => {
      const opener = openers[index];
      const isRereadable = input.readAt !== undefined;
      const reader = index === 0 ? form.sentReader(isRereadable, opener) : form.receivedReader(index - 1, isRereadable, opener);
      return { input, reader, opener };
    });
  }

  /** Compares what there is at each look, and at the end decides about all that waits. @param looks their moments in ms; NaN if not known */
  async *compare(
    read: (inputs: readonly ReadInput<Input>[]) => Blocks,
    looks: Iterable<number> | AsyncIterable<number>,
  ): AsyncGenerator<readonly ComparisonFinding[]> {
    const { sent, received } = this.join;
    const blocks = { sent: read(this.#inputs.slice(0, 1)), received: read(this.#inputs.slice(1)) };
    try {
      for await (const seenMs of looks) {
        sent.isDry = received.isDry = false;
        for (let need = this.join.next(); need !== undefined; need = this.join.next()) {
          this.#requireEnvelope(false);
          if (need === 'decision') {
            yield* this.#decide(false);
            continue;
          }
          this.join[need].keep();
          const { value } = await blocks[need].next();
          if (value === undefined) this.join[need].isDry = true;
          else this.join[need].append(value, seenMs);
        }
      }
      this.#requireEnvelope(true);
      yield* this.#decide(true);
    } finally {
      await blocks.sent.return(undefined);
      await blocks.received.return(undefined);
      sent.texts.clear();
      received.texts.clear();
    }
  }

  /** @throws DataError if there are records, and no input is in the envelope that is named */
  #requireEnvelope(isEnd: boolean): void {
    const openers = this.#inputs.flatMap(({ opener }) => opener ?? []);
    if (openers.length > 0 && this.join.sent.record + this.join.received.record > 0)
      requireEnvelope(this.options.envelope, this.join.sent.sources[0] ?? '', openers, isEnd);
  }

  *#decide(isEnd: boolean): Generator<readonly ComparisonFinding[]> {
    if (this.#mismatch === undefined) {
      this.#mismatch = this.#findMismatch();
      if (this.#mismatch !== undefined) this.options.onMismatch?.(this.#mismatch);
    }
    yield* this.#gaps.decide(isEnd);
  }

  #findMismatch(): FormMismatch | undefined {
    const { sent, received, delivered } = this.join;
    const { as } = comparisonOf(this.options);
    const mismatch = this.#observed.findMismatch(as, sent.record === 0 || delivered > 0);
    if (mismatch?.cause === 'not-json' && sent.firstWaiting(1).some((text) => isObject(tryParse(text))))
      return { cause: 'exchanged' };
    if (mismatch !== undefined || as === 'fields' || delivered > 0) return mismatch;
    return findUnlikeness(sent.firstWaiting(LOOKED_AT), received.firstWaiting(LOOKED_AT));
  }

  get summary(): ComparisonSummary {
    const { counts } = this.#gaps;
    const [expectedPassedOver, ...receivedPassedOver] = this.#inputs.map(({ reader }) => reader.passedOver);
    const recordsSent = this.join.sent.record;
    return {
      recordsSent,
      recordsDelivered: recordsSent - counts.of('missing') - counts.of('altered'),
      // A record of a log that grows may also differ in the instant that was not meant.
      lossy: this.options.lossy === true ? this.join.lossy : 0,
      expectedPassedOver: expectedPassedOver ?? 0,
      receivedPassedOver: receivedPassedOver.reduce((sum, passedOver) => sum + passedOver, 0),
      counts,
      findings: counts.findings,
      opened: this.#inputs.flatMap(({ input: { source }, opener }) =>
        opener?.form === undefined ? [] : [{ source, envelope: opener.form }],
      ),
      ...(this.#mismatch !== undefined && { mismatch: this.#mismatch }),
    };
  }
}
