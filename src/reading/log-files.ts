import { requireChunks, requireSources } from '../arguments.js';
import { DataError } from '../errors.js';
import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeChoice } from '../envelope/envelopes.js';
import { cutLogLines } from '../input/log-lines.js';
import { Peekable } from '../input/peekable.js';
import type { Chunks, LineBytes } from '../lines.js';
import type { Driver } from '../log/deployment.js';
import type { LinePlace, LinePlaces } from './line-places.js';

/** The bytes of a log, cut anywhere, or its files. A Node stream will do, and so will an array of buffers. */
export type LogBytes = Chunks | LogFiles;

/** A file of a log. */
export interface LogFile {
  /** The name of the file in messages and records. */
  readonly source: string;
  /** The bytes of the file, cut anywhere; a Node stream will do. */
  readonly chunks: Chunks;
}

/** The envelopes of a log's lines, and the clock for those that show no year and no zone. */
export interface EnvelopeOptions {
  /** The envelope that each file must be in; `none` to read lines as they are. Default: that of a file's first record. */
  readonly envelope?: EnvelopeChoice | undefined;
  /** The IANA name of the zone. Default: that of the machine. */
  readonly zone?: string | undefined;
  /** The Unix millisecond of the present. Default: `Date.now`. */
  readonly now?: () => number;
}

const SHOWN_BYTES = 4096;

/** The files of a log, read as one: rotated logs, the oldest first. Lines are counted over all files. The end of a file ends a line. */
export class LogFiles implements LinePlaces {
  #files: readonly LogFile[];
  #peeked: readonly { readonly source: string; readonly chunks: Peekable }[] = [];
  readonly #begun: { readonly source: string; readonly linesBefore: number; readonly opener: EnvelopeOpener }[] = [];
  #failure: DataError | undefined;

  /** @param files in the order in which they are to be read @throws TypeError if they are not an array of files */
  constructor(
    files: readonly LogFile[],
    private readonly options: EnvelopeOptions = {},
  ) {
    requireSources(files, 'files');
    this.#files = files;
  }

  /** The names of the files, in the order in which they are read. */
  get sources(): readonly string[] {
    return this.#files.map(({ source }) => source);
  }

  /**
   * Reads the files, once. A DataError of a file's chunks ends the log: it is thrown at once where nothing came before, else by `throwFailure`.
   * @internal @param linesOf returns the number of lines of the blocks so far
   */
  async *readBlocks(linesOf: () => number, keepsMark = false): AsyncGenerator<LineBytes> {
    let hasBegun = false;
    try {
      for (const { source, chunks } of this.#files) {
        const opener = new EnvelopeOpener({ ...this.options, source });
        this.#begun.push({ source, linesBefore: linesOf(), opener });
        for await (const block of cutLogLines(chunks, { shownBytes: SHOWN_BYTES, keepsMark, opener })) {
          hasBegun = true;
          yield block;
        }
      }
    } catch (error) {
      if (!hasBegun || !(error instanceof DataError)) throw error;
      this.#failure = error;
    }
  }

  /** Gives the first 16 MiB of each file, to be read before the files are. Once; then `close` is to be called. @internal */
  peek(): LogFiles {
    this.#files = this.#peeked = this.#files.map(({ source, chunks }) => ({ source, chunks: new Peekable(chunks) }));
    const beginnings = this.#peeked.map(({ source, chunks }) => ({ source, chunks: chunks.peek() }));
    return new LogFiles(beginnings, this.options);
  }

  /** @internal */
  async close(): Promise<void> {
    for (const { chunks } of this.#peeked) await chunks.close();
  }

  /** @internal @throws the DataError that ended the log before its end */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The place of a line that has been read: its file, and its line in that file. */
  readonly placeOf = (line: number): LinePlace => {
    const file = this.#fileOf(line);
    return { source: file?.source ?? '', line: file?.opener.lineOf(line - file.linesBefore) ?? line };
  };

  /** True if the record of a line that has been read has a stamp of its own, not that of its envelope. */
  readonly hasOwnStamp = (line: number): boolean => {
    const file = this.#fileOf(line);
    return file?.opener.hasOwnStamp(line - file.linesBefore) ?? true;
  };

  get envelope(): EnvelopeChoice | undefined {
    return this.options.envelope;
  }

  /** The zone of the machine, if records were stamped by its clock. */
  get assumedZone(): string | undefined {
    return this.#begun.map(({ opener }) => opener.assumedZone).find((zone) => zone !== undefined);
  }

  /** The number of lines of the files beyond those that were read: pieces of records. @internal */
  get surplusLines(): number {
    return this.#begun.reduce((lines, { opener }) => lines + opener.surplusLines, 0);
  }

  /** The driver that wrote the records that have been read: `file` if all have stamps of their own. */
  get driver(): Driver {
    return this.#begun.find(({ opener }) => opener.driver !== 'file')?.opener.driver ?? 'file';
  }

  #fileOf(line: number) {
    return this.#begun.findLast((file) => file.linesBefore < line);
  }
}

/** The files of a log; bytes are one file. @throws TypeError for anything else */
export function logFilesOf(log: LogBytes): LogFiles {
  if (log instanceof LogFiles) return log;
  requireChunks(log, 'log');
  return new LogFiles([{ source: '<log>', chunks: log }]);
}
