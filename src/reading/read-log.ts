import { InferredGroups } from './inferred-groups.js';
import { logFilesOf, type LogBytes } from './log-files.js';
import { LogReader, type LogEvents } from './log-reader.js';
import type { Counted } from './tally.js';

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
  /** Called after each block with the number of lines read so far. */
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

/**
 * Reads a log, and gives what `take` makes of it: a batch for each block, which may be empty.
 *
 * @param log the bytes of the log, cut anywhere, or its files
 * @param take takes the events that there are, until `next` returns undefined, and gives what is known by then, in order
 * @throws what `onForeign` throws, and a DataError that ended the log before its end, each after what came before
 */
export async function* readLog<T>(
  log: LogBytes,
  take: (events: LogEvents) => readonly T[],
  options: ReadLogOptions = {},
  groups = new InferredGroups(),
): AsyncGenerator<readonly T[]> {
  const { hasMore = () => true, onForeign, onRead, onEnd } = options;
  const reader = new LogReader(groups, onForeign);
  const files = logFilesOf(log);
  for await (const block of files.readBlocks(() => reader.linesTaken)) {
    reader.add(block, hasMore());
    const batch = take(reader);
    onRead?.(reader.lines);
    yield batch;
    if (reader.failure !== undefined) throw reader.failure.reason;
  }
  reader.end();
  yield take(reader);
  const { lines, foreign, foreignWithCr } = reader;
  try {
    onEnd?.({ lines, foreign, foreignWithCr, incomplete: groups.broken.tally });
  } finally {
    files.throwFailure();
  }
}
