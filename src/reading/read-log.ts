import { MAX_PLUGINS } from '../log/deployment.js';
import { isRecordWithCr } from '../log/line.js';
import { RecordReader } from '../log/record-reader.js';
import { Assembler } from './assembler.js';
import { BlockFeed, type BlockReader } from './block-feed.js';
import { placesIn } from './entry.js';
import { groupOf } from './group.js';
import { inferPlugins } from './infer-plugins.js';
import { logFilesOf, type LogBlock, type LogBytes } from './log-files.js';
import type { OpenGroup } from './open-group.js';
import { Prelude } from './prelude.js';
import { waitingBytesOf, type ForeignLine, type RecordAtLine } from './record-at-line.js';
import type { Sink } from './sink.js';
import { Tally, type Counted } from './tally.js';
import { WaitingLines } from './waiting-lines.js';
import { matcherLike, type WholeGroupMatcher } from './whole-group-matcher.js';
import type { CutGroup, WholeGroup } from './whole-group.js';

/** Options of reading a log. */
export interface ReadLogOptions {
  /**
   * Returns true while more bytes are there to be read without a wait; default: always. The order of plugins is inferred from the
   * first 512 records, or earlier from fewer of them when the input pauses. So a group is given as soon as its last record is there.
   */
  readonly hasMore?: () => boolean;
  /**
   * Called with each line that is not a record, without its LF; of a line over 1 MiB, with its first 4096 bytes. An error that it
   * throws ends the reading, after what came before.
   */
  readonly onForeign?: (line: number, text: string) => void;
  /** Called after each chunk with the number of lines read so far. */
  readonly onRead?: (lines: number) => void;
  /** Called once, at the end of the log. */
  readonly onEnd?: (passedOver: PassedOver) => void;
}

/** The rest of a log beside its whole groups. */
export interface PassedOver {
  /** The number of all lines of the log. */
  readonly lines: number;
  /** Lines that are not records. */
  readonly foreign: Counted;
  /** The number of foreign lines that would be records without the CR at their end. */
  readonly foreignWithCr: number;
  /** Groups that are missing a record; their lines are those on which they begin. */
  readonly incomplete: Counted;
}

/** Groups that are held are given out when the foreign lines that wait behind them hold more bytes than this. */
const MAX_WAITING_BYTES = 16 << 20;

/** So many whole groups are tried for one that a deployment writes; then the log is read record by record to its end. */
const MAX_TRIALS = 16;

/**
 * Reads a log, and gives what `sink` makes of it: a batch for each chunk, which may be empty.
 *
 * The log is read record by record until the deployment is inferred from a first whole group. From then on, where no group is open,
 * whole groups are compared with what that deployment writes, which is some ten times as fast. The result is the same.
 *
 * @param log the bytes of the log, cut anywhere, or its files
 * @throws what `onForeign` throws, and a DataError that ended the log before its end, each after what came before
 */
export async function* readLog<T>(log: LogBytes, sink: Sink<T>, options: ReadLogOptions = {}): AsyncGenerator<readonly T[]> {
  const { hasMore = () => true, onRead, onEnd } = options;
  const reader = new LogReader(sink, options);
  const files = logFilesOf(log);
  for await (const block of files.readBlocks(() => reader.lines)) {
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
  files.throwFailure();
}

/** Reads blocks of lines, and has a sink make something of what they hold. */
export class LogReader<T> implements PassedOver, BlockReader {
  readonly foreign = new Tally();
  foreignWithCr = 0;
  readonly incomplete = new Tally();
  readonly #feed = new BlockFeed(this);
  readonly #records = new RecordReader();
  readonly #sink: Sink<T>;
  readonly #onForeign: ((line: number, text: string) => void) | undefined;
  #line = 1;
  /** Kept until the order of plugins is known. */
  readonly #prelude = new Prelude();
  /** Foreign lines that wait for the groups before them. */
  readonly #waiting = new WaitingLines();
  /** The plugins of the preludes that were given up, in the order in which they came. */
  #namedPlugins: readonly string[] = [];
  #assembler: Assembler | undefined;
  #placeOf = placesIn([]);
  #matcher: WholeGroupMatcher | undefined;
  #trials = 0;

  constructor(sink: Sink<T>, { onForeign }: ReadLogOptions) {
    this.#sink = sink;
    this.#onForeign = onForeign;
  }

  get lines(): number {
    return this.#line - 1;
  }

  /** Reads a block of whole lines. Returns the error that `onForeign` threw, in an object; else undefined. */
  read({ bytes, overlong, endsFile = false }: LogBlock): { readonly reason: unknown } | undefined {
    try {
      if (overlong || endsFile) this.#feed.end();
      if (overlong) {
        this.#passOver(bytes.toString('latin1'));
        this.#line += 1;
      } else {
        for (let at = this.#feed.begin(bytes); at < bytes.length;) at = this.#feed.next(bytes, at);
      }
      return undefined;
    } catch (reason) {
      return { reason };
    }
  }

  /** Gives what can be given before more bytes come. */
  pause(): void {
    this.#feed.end();
    if (this.#assembler === undefined) this.#findPlugins();
  }

  end(): void {
    this.#feed.end();
    if (this.#assembler === undefined && !this.#findPlugins()) this.#giveUpPrelude();
    this.#assembler?.end();
    this.#giveGroups(this.#assembler);
  }

  matchGroup(block: Buffer, at: number): WholeGroup | CutGroup | undefined {
    return this.#assembler?.isIdle === true ? this.#matcher?.match(block, at, this.#line) : undefined;
  }

  addGroup(group: WholeGroup, block: Buffer, at: number): void {
    this.#assembler?.rest();
    this.#giveGroups(this.#assembler);
    this.#sink.addWholeGroup(group, block, at);
    this.#line += group.constants.recordCount;
  }

  addLine(text: string): void {
    this.#readLine(text);
    this.#line += 1;
  }

  #readLine(text: string): void {
    const record = this.#records.read(text);
    if (record === undefined) {
      this.#passOver(text);
    } else if (this.#assembler !== undefined) {
      this.#assemble(this.#assembler, { record, line: this.#line, text });
      this.#giveGroups(this.#assembler);
    } else {
      this.#addToPrelude({ record, line: this.#line, text });
    }
  }

  #addToPrelude(line: RecordAtLine | ForeignLine): void {
    this.#prelude.add(line);
    if (this.#prelude.isFull && !this.#findPlugins()) this.#giveUpPrelude();
  }

  #passOver(text: string): void {
    this.foreign.add(this.#line);
    if (isRecordWithCr(text)) this.foreignWithCr += 1;
    this.#onForeign?.(this.#line, text);
    if (this.#sink.addForeign === undefined) return;
    const foreign = { line: this.#line, text };
    // Foreign lines stand among the records in the order of lines: they wait for records before them.
    if (this.#prelude.hasRecords) {
      this.#addToPrelude(foreign);
      return;
    }
    this.#sink.addForeign(foreign);
    if (this.#assembler === undefined) return;
    this.#waiting.add(this.#line, waitingBytesOf(text));
    if (this.#waiting.bytesBehind(this.#assembler.firstOpenLine) <= MAX_WAITING_BYTES) return;
    this.#assembler.end();
    this.#giveGroups(this.#assembler);
  }

  /** Infers the order of plugins. Returns false if no group of the prelude is whole. */
  #findPlugins(): boolean {
    const plugins = inferPlugins(this.#prelude.records);
    if (plugins === undefined) return false;
    this.#assembler = this.#assemblerOf(plugins);
    this.#assemblePrelude(this.#assembler);
    return true;
  }

  /** Counts the groups of a prelude without a whole group as incomplete, and begins another prelude. */
  #giveUpPrelude(): void {
    const { records } = this.#prelude;
    const paths = records.flatMap(({ record }) => (record.kind === 'load_failure' ? [record.pluginFilePath] : []));
    // A prelude may begin within a group: the order in which the log named the plugins first is the likelier one.
    const named = Array.from(new Set([...this.#namedPlugins, ...paths]));
    this.#namedPlugins = named.length <= MAX_PLUGINS ? named : Array.from(new Set(paths));
    const assembler = this.#assemblerOf(this.#namedPlugins);
    this.#assemblePrelude(assembler);
    assembler.end();
    this.#giveGroups(assembler);
  }

  #assemblerOf(plugins: readonly string[]): Assembler {
    this.#placeOf = placesIn(plugins);
    return new Assembler(plugins.length);
  }

  #assemblePrelude(assembler: Assembler): void {
    for (const line of this.#prelude.take()) {
      if ('record' in line) this.#assemble(assembler, line);
      else this.#sink.addForeign?.(line);
    }
    this.#giveGroups(assembler);
  }

  #assemble(assembler: Assembler, read: RecordAtLine): void {
    const { record, line } = read;
    this.#sink.addRecord(read, assembler.add({ record, line, place: this.#placeOf(record) }));
  }

  #giveGroups(assembler: Assembler | undefined): void {
    for (const found of assembler?.drain() ?? []) {
      if (!found.isWhole) {
        this.incomplete.add(found.firstLine);
        continue;
      }
      this.#sink.addGroup(found);
      if (this.#matcher === undefined && this.#trials < MAX_TRIALS) this.#tryMatcher(found);
    }
  }

  #tryMatcher(found: OpenGroup): void {
    const group = groupOf(found);
    if (group !== undefined) this.#matcher = matcherLike(group);
    this.#trials += 1;
  }
}
