import { cutLines, type LineBytes } from '../lines.js';
import { Assembler } from './assembler.js';
import { placesIn } from './entry.js';
import { groupOf, type Group } from './group.js';
import type { Membership, OpenGroup } from './open-group.js';
import { createDeployment } from '../log/deployment.js';
import { inferDeploymentOptions, NoDeploymentError } from './infer-deployment.js';
import { inferPlugins } from './infer-plugins.js';
import type { RecordAtLine } from './record-at-line.js';
import { takeNext, type BlockReader } from './take-next.js';
import { isRecordWithCr, parseRecord } from '../log/line.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { Tally, type Counted } from './tally.js';
import { WholeGroups, type WholeGroup } from './whole-groups.js';

/** How a log is to be read. */
export interface ReadLogOptions {
  /**
   * Whether more bytes will come without a wait. Left out: always. The order of plugins is found from the first 512 records; when
   * nothing more is waiting, from those that have come, so that a group is given as soon as its last record is there.
   */
  readonly hasMore?: () => boolean;
  /** Called with each line that is no record, without its LF; what it throws ends the reading, after all before it has been given. */
  readonly onForeign?: (line: number, text: string) => void;
  /** Called for each piece of input, with the number of lines read so far. */
  readonly onRead?: (lines: number) => void;
  /** Called once, when all has been read. */
  readonly onEnd?: (passedOver: Remainder) => void;
}

/** What a log holds beside whole groups. */
export interface Remainder {
  /** How many lines were read in all. */
  readonly lines: number;
  /** Lines that are no record. */
  readonly foreign: Counted;
  /** How many of them are records but for the CR at their end. */
  readonly foreignWithCr: number;
  /** Groups that lack a record, and the lines where they begin. */
  readonly incomplete: Counted;
}

/** What is made of a log while it is read. */
export interface Sink<T> {
  /** The next record. Its group may be open still, and may never be whole. */
  addRecord(read: RecordAtLine, membership: Membership): void;
  /** A whole group that has come to stand first among those not given yet; its records have been added. */
  addGroup(group: OpenGroup): void;
  /**
   * A group that was found whole while none was open, in place of its records and itself. `recordsOf` reads its records from the
   * block that it stands in, as long as this runs.
   */
  addWhole(group: WholeGroup, block: Buffer, at: number): void;
  /** All that can be given now, in order; no call gives it again. */
  drain(): readonly T[];
}

/** How much of a log is looked at to find the order of its plugins. */
const PRELUDE_RECORDS = 512;
const PRELUDE_BYTES = 16 << 20;

/** So many groups are tried for one that a deployment writes; where none is, it is not looked for again and again. */
const MAX_TRIALS = 16;

/**
 * Reads a log: gives a batch of what `sink` makes of it for each piece of input (an empty one where it brought nothing).
 *
 * Record by record; but once the deployment of the log is known, from a first whole group, and where no group is open, whole groups
 * are compared with what that deployment writes, which is much faster. A log whose groups no deployment writes is read all the same.
 *
 * @param chunks the bytes of the log, cut anywhere
 * @throws what `onForeign` throws
 */
export async function* readLog<T>(
  chunks: AsyncIterable<Uint8Array>,
  sink: Sink<T>,
  options: ReadLogOptions = {},
): AsyncGenerator<readonly T[]> {
  const { hasMore = () => true, onRead, onEnd } = options;
  const reader = new LogReader(sink, options);
  for await (const block of cutLines(chunks, { maxLineBytes: MAX_RECORD_BYTES })) {
    const stop = reader.read(block);
    onRead?.(reader.lines);
    if (stop !== undefined) reader.end();
    else if (!hasMore()) reader.pause();
    yield sink.drain();
    if (stop !== undefined) throw stop.reason;
  }
  reader.end();
  yield sink.drain();
  onEnd?.(reader);
}

class LogReader<T> implements Remainder, BlockReader {
  readonly foreign = new Tally();
  foreignWithCr = 0;
  readonly incomplete = new Tally();
  readonly #sink: Sink<T>;
  readonly #onForeign: ((line: number, text: string) => void) | undefined;
  #line = 1;
  /** The records at the beginning, as long as the order of plugins is not known. */
  #prelude: RecordAtLine[] = [];
  #preludeBytes = 0;
  #assembler: Assembler | undefined;
  #placeOf = placesIn([]);
  #wholeGroups: WholeGroups | undefined;
  #trials = 0;

  constructor(sink: Sink<T>, { onForeign }: ReadLogOptions) {
    this.#sink = sink;
    this.#onForeign = onForeign;
  }

  get lines(): number {
    return this.#line - 1;
  }

  /** Reads whole lines; what `onForeign` has thrown, if it has. */
  read({ bytes, overlong }: LineBytes): { readonly reason: unknown } | undefined {
    try {
      if (overlong) {
        this.#passOver('');
        this.#line += 1;
      } else {
        for (let at = 0; at < bytes.length;) at = takeNext(this, bytes, at);
      }
      return undefined;
    } catch (reason) {
      return { reason };
    }
  }

  /** Nothing more is waiting: what can be told is to be told. */
  pause(): void {
    if (this.#assembler === undefined) this.#findPlugins();
  }

  end(): void {
    if (this.#assembler === undefined && !this.#findPlugins()) this.#giveUpPrelude();
    this.#assembler?.end();
    this.#giveGroups(this.#assembler);
  }

  matchGroup(block: Buffer, at: number): WholeGroup | undefined {
    return this.#assembler?.isIdle === true ? this.#wholeGroups?.match(block, at, this.#line) : undefined;
  }

  addGroup(group: WholeGroup, block: Buffer, at: number): void {
    this.#assembler?.rest();
    this.#giveGroups(this.#assembler);
    this.#sink.addWhole(group, block, at);
    this.#line += group.constants.recordCount;
  }

  addLine(text: string): void {
    this.#readLine(text);
    this.#line += 1;
  }

  #readLine(text: string): void {
    const record = parseRecord(text);
    if (record === undefined) {
      this.#passOver(text);
    } else if (this.#assembler !== undefined) {
      this.#assemble(this.#assembler, { record, line: this.#line, text });
      this.#giveGroups(this.#assembler);
    } else {
      this.#prelude.push({ record, line: this.#line, text });
      this.#preludeBytes += text.length;
      if (this.#prelude.length === PRELUDE_RECORDS || this.#preludeBytes > PRELUDE_BYTES) {
        if (!this.#findPlugins()) this.#giveUpPrelude();
      }
    }
  }

  #passOver(text: string): void {
    this.foreign.add(this.#line);
    if (isRecordWithCr(text)) this.foreignWithCr += 1;
    this.#onForeign?.(this.#line, text);
  }

  /** Whether the order of plugins can be told. */
  #findPlugins(): boolean {
    const plugins = inferPlugins(this.#prelude);
    if (plugins === undefined) return false;
    this.#assembler = this.#assemblerOf(plugins);
    this.#assemblePrelude(this.#assembler);
    return true;
  }

  /** No group is whole in the prelude: what it holds is counted, and another begins. */
  #giveUpPrelude(): void {
    const plugins = this.#prelude.flatMap(({ record }) => (record.kind === 'load_failure' ? [record.pluginFilePath] : []));
    const assembler = this.#assemblerOf(Array.from(new Set(plugins)));
    this.#assemblePrelude(assembler);
    assembler.end();
    this.#giveGroups(assembler);
  }

  #assemblerOf(plugins: readonly string[]): Assembler {
    this.#placeOf = placesIn(plugins);
    return new Assembler(plugins.length);
  }

  #assemblePrelude(assembler: Assembler): void {
    for (const read of this.#prelude) this.#assemble(assembler, read);
    this.#prelude = [];
    this.#preludeBytes = 0;
    this.#giveGroups(assembler);
  }

  #assemble(assembler: Assembler, read: RecordAtLine): void {
    const { record, line } = read;
    this.#sink.addRecord(read, assembler.add({ record, line, place: this.#placeOf(record) }));
  }

  #giveGroups(assembler: Assembler | undefined): void {
    for (const found of assembler?.drain() ?? []) {
      const group = groupOf(found);
      if (group === undefined) {
        this.incomplete.add(found.firstLine);
        continue;
      }
      this.#sink.addGroup(found);
      if (this.#wholeGroups !== undefined || this.#trials === MAX_TRIALS) continue;
      this.#wholeGroups = wholeGroupsLike(group);
      this.#trials += 1;
    }
  }
}

/** For groups of the deployment that writes a given one, if there is one. */
function wholeGroupsLike(group: Group): WholeGroups | undefined {
  try {
    return new WholeGroups(createDeployment(inferDeploymentOptions(group)));
  } catch (error) {
    if (error instanceof NoDeploymentError) return undefined;
    throw error;
  }
}
