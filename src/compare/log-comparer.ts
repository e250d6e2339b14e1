import { FindingCounts } from '../findings/finding-counts.js';
import type { Chunks } from '../lines.js';
import { findAlteration } from './alteration.js';
import type { ComparedSource, CompareOptions, Comparison } from './compare-options.js';
import { digestBytes } from './digest.js';
import { DeprecationCounter } from './deprecation-counter.js';
import { readLineField } from './field-record.js';
import { GapNumbers } from './gap-numbers.js';
import { countLostGroups } from './group-losses.js';
import { readJsonRecords } from './json-records.js';
import { FINDING_KINDS, type ComparisonFinding, type FindingKind } from './kinds.js';
import { isLossyCopy, LossyDigester } from './lossy.js';
import { LostLines } from './lost-lines.js';
import { fieldsOfLine, findParsedAlteration, readExpectedFields, readParsedFields } from './parsed-fields.js';
import { countLines, readLineBlocks, readRawRecords, readRecordsOfKind, type LineBlock } from './raw-records.js';
import { ReceivedForm } from './received-form.js';
import { ReceivedInputs } from './received-inputs.js';
import { ReceivedTexts } from './received-texts.js';
import type { RecordBlock } from './record-block.js';
import { RecordMatcher } from './record-matcher.js';
import { RecordPasser } from './record-passer.js';
import { RecordWindow } from './record-window.js';
import type { Run } from './run-list.js';
import { SentLog } from './sent-log.js';
import { Settlement } from './settlement.js';
import { countOfKind, type ComparisonSummary } from './summary.js';

/** V8 gives texts of more than 128 KiB memory of their own, which takes a third more time. */
const JSON_PIECE_BYTES = 1 << 16;

/** One run of `compareLogs`: brings the inputs to the matcher, and what it leaves to the settlement. */
export class LogComparer {
  readonly #counts: FindingCounts<FindingKind>;
  readonly #comparison: Comparison;
  readonly #kind: CompareOptions['kind'];
  readonly #sent: SentLog;
  readonly #received: readonly ComparedSource[];
  readonly #inputs = new ReceivedInputs();
  readonly #form = new ReceivedForm();
  readonly #expectedWindow: RecordWindow;
  readonly #receivedWindow: RecordWindow;
  readonly #receivedTexts: ReceivedTexts;
  readonly #passer: RecordPasser;
  readonly #matcher: RecordMatcher;
  readonly #settlement: Settlement;
  readonly #deprecations = new DeprecationCounter();
  readonly #lost = new LostLines();
  readonly #expectedBlocks: AsyncGenerator<RecordBlock>;
  readonly #receivedBlocks: AsyncGenerator<RecordBlock>;
  #groupsSent = 0;
  #expectedPassedOver = 0;
  #receivedPassedOver = 0;

  constructor(
    expected: ComparedSource,
    received: readonly ComparedSource[],
    { comparison = { as: 'lines' }, kind, isLossy = false, allowed, max = Infinity }: CompareOptions,
  ) {
    this.#counts = new FindingCounts(FINDING_KINDS, allowed);
    this.#comparison = comparison;
    this.#kind = kind;
    this.#sent = new SentLog(expected);
    this.#received = received;
    const digestRecord = isLossy ? new LossyDigester().digest : digestBytes;
    this.#expectedWindow = new RecordWindow(digestRecord);
    this.#receivedWindow = new RecordWindow(digestRecord);
    const onReordered = (run: Run): void => {
      this.#settlement.addReordered(run);
    };
    this.#passer = new RecordPasser(this.#expectedWindow, this.#receivedWindow, {
      digestRecord,
      isSame: isLossy ? (sent, came) => isLossyCopy(sent.toString('latin1'), came.toString('latin1')) : undefined,
      readSent: (record) => this.#readSent(record),
      remembersAll: comparison.as === 'fields',
      readReceived: (slot) => this.#receivedTexts.compared(slot),
      keepReceived: (slot) => {
        this.#receivedTexts.keep(this.#receivedWindow, slot);
      },
      onReordered,
    });
    const gaps = new GapNumbers(this.#passer, onReordered);
    this.#matcher = new RecordMatcher(this.#passer, gaps);
    this.#expectedBlocks = this.#readExpected();
    this.#receivedBlocks = this.#readReceived();
    this.#receivedTexts = new ReceivedTexts(this.#passer.unmatchedReceived, this.#inputs);
    this.#settlement = new Settlement(this.#passer, gaps, {
      counts: this.#counts,
      max,
      findAlteration: comparison.as === 'fields' ? findParsedAlteration(comparison.fields) : findAlteration,
      receivedTexts: this.#receivedTexts,
      placeSent: (record) => ({ source: expected.source, line: this.#expectedWindow.lines.of(record) }),
      textSent: (record) => this.#sent.lines.read(this.#expectedWindow.lines.of(record)).toString('latin1'),
      placeReceived: (record) => this.#inputs.placeOf(this.#receivedWindow.lines.of(record)),
      onLost: (line) => {
        this.#lost.add(line);
      },
    });
  }

  async *run(): AsyncGenerator<readonly ComparisonFinding[]> {
    for (const need of this.#matcher.run()) {
      if (need === 'room') yield* this.#settlement.makeRoom();
      else if (need === 'expected') await feed(this.#expectedWindow, this.#expectedBlocks);
      else await feed(this.#receivedWindow, this.#receivedBlocks);
    }
    yield* this.#settlement.end();
  }

  /** The result of the comparison; all findings have been taken. */
  async summarize(): Promise<ComparisonSummary> {
    const recordsSent = this.#expectedWindow.record;
    const groupsSent = this.#groupsSent + this.#deprecations.count;
    // The expected log is read once more: until then its tables are the most memory that a comparison takes.
    this.#passer.forget();
    const recordsDelivered = recordsSent - countOfKind(this.#counts, 'missing') - countOfKind(this.#counts, 'altered');
    const mismatch = this.#form.findMismatch(this.#comparison.as, recordsSent === 0 || recordsDelivered > 0);
    return {
      recordsSent,
      lossy: this.#passer.lossy,
      recordsDelivered,
      groupsSent,
      groupsDelivered: groupsSent - (await this.#countLostGroups(recordsSent, groupsSent)),
      expectedPassedOver: this.#expectedPassedOver,
      receivedPassedOver: this.#receivedPassedOver,
      counts: this.#counts,
      ...(mismatch !== undefined && { mismatch }),
    };
  }

  async #countLostGroups(recordsSent: number, groupsSent: number): Promise<number> {
    const isAllLost = this.#expectedPassedOver === 0 && this.#lost.size === recordsSent;
    return isAllLost ? groupsSent : countLostGroups((range) => this.#sent.readAgain(range), this.#lost);
  }

  async close(): Promise<void> {
    await this.#expectedBlocks.return(undefined);
    await this.#receivedBlocks.return(undefined);
    this.#sent.close();
    this.#receivedTexts.close();
    this.#settlement.close();
  }

  #readExpected(): AsyncGenerator<RecordBlock> {
    const onPassedOver = (lines: number): void => {
      this.#expectedPassedOver += lines;
    };
    if (this.#comparison.as === 'fields') {
      const { fields } = this.#comparison;
      const onRecord = ({ kind }: { readonly kind: string }): void => {
        if (kind === 'deprecation') this.#groupsSent += 1;
      };
      return readExpectedFields(this.#sent.read(), { fields, kind: this.#kind, onRecord, onPassedOver });
    }
    const blocks = this.#countDeprecations(readLineBlocks(this.#sent.read()));
    return this.#kind === undefined ? readRawRecords(blocks) : readRecordsOfKind(blocks, this.#kind, onPassedOver);
  }

  async *#countDeprecations(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
    for await (const block of blocks) {
      this.#deprecations.add(block.bytes);
      yield block;
    }
  }

  async *#readReceived(): AsyncGenerator<RecordBlock> {
    for (const { source, chunks, readAt } of this.#received) {
      this.#inputs.begin(source, readAt);
      const pieceBytes = this.#comparison.as === 'lines' ? undefined : JSON_PIECE_BYTES;
      yield* this.#readRecords(readLineBlocks(this.#countBytes(chunks), pieceBytes), readAt !== undefined);
    }
  }

  /** @param isRereadable the input can be read once more */
  #readRecords(blocks: AsyncIterable<LineBlock>, isRereadable: boolean): AsyncGenerator<RecordBlock> {
    const comparison = this.#comparison;
    if (comparison.as === 'lines') {
      const { nextPosition } = this.#inputs;
      // Lines are counted to tell one input from the next: of a single one that would only take time.
      const counted = this.#received.length > 1 ? this.#countReceived(blocks) : blocks;
      return readRawRecords(counted, isRereadable ? (position) => nextPosition + position : undefined);
    }
    return readJsonRecords(this.#countReceived(blocks), {
      firstLine: this.#inputs.nextLine,
      form: this.#form,
      objects: comparison.as === 'field' ? readLineField(comparison.path) : readParsedFields(comparison.fields),
      onPassedOver: (objects) => {
        this.#receivedPassedOver += objects;
      },
    });
  }

  async *#countBytes(chunks: Chunks): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#inputs.nextPosition += chunk.length;
      this.#form.addBytes(chunk);
      yield chunk;
    }
  }

  async *#countReceived(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
    for await (const block of blocks) {
      this.#inputs.nextLine += block.isOverlong ? 1 : countLines(block.bytes);
      yield block;
    }
  }

  /** The compared part of an expected record that has been passed. */
  #readSent(record: number): Buffer {
    const line = this.#sent.lines.read(this.#expectedWindow.lines.of(record));
    return this.#comparison.as === 'fields' ? fieldsOfLine(line, this.#comparison.fields) : line;
  }
}

/** Gives a window its next block, or says that there is none. */
async function feed(window: RecordWindow, blocks: AsyncGenerator<RecordBlock>): Promise<void> {
  // The bytes of the last block are gone when the next one is asked for.
  window.keep();
  const next = await blocks.next();
  if (next.done === true) window.hasEnded = true;
  else window.append(next.value);
}
