import type { Input } from '../input/input.js';
import { readInStep } from '../input/peekable.js';
import { nameSources } from '../reading/line-places.js';
import { findFirstSecond } from '../reading/log-ends.js';
import { LogFiles, type EnvelopeOptions } from '../reading/log-files.js';
import type { CommandRun } from './command-run.js';
import { measureRead, openInOrder } from './inputs.js';
import { say, type Progress } from './messages.js';

export interface OpenLogs {
  readonly log: LogFiles;
  /** Gives the log to two readers, instead of `log`: both must read it at the same time. */
  readonly readTwice: () => readonly [LogFiles, LogFiles];
  /** Gives the same files to be read before `log` is, as far as their inputs can be peeked at. */
  readonly peek: () => LogFiles;
  /** True while more bytes are there, or will come without a wait; false while any input makes its reader wait. */
  readonly hasMore: () => boolean;
  readonly measure: () => Progress;
}

/** Opens the logs of a command, in the order of their first records' times. @throws what `openInOrder` throws */
export async function openLogs(
  files: readonly string[],
  command: string,
  run: CommandRun,
  envelope: EnvelopeOptions,
): Promise<OpenLogs> {
  const inputs = await openInOrder(files, command, 'log', run, (input) => findFirstSecond(input.peek(), envelope));
  const logOf = (chunksOf: (input: Input) => Input['blocks']): LogFiles => {
    const opened = inputs.map((input) => ({ source: input.source, chunks: chunksOf(input) }));
    return new LogFiles(opened, envelope);
  };
  /** Makes the log the one that messages about lines name, and at the end says in which zone its stamps were read. */
  const lead = (read: LogFiles): LogFiles => {
    run.places = read;
    run.atEnd(() => {
      if (read.assumedZone === undefined) return;
      const stamps = 'its stamps show no year and no zone, and were read as the latest times of';
      say(`${nameSources(read)}: ${stamps} ${read.assumedZone}; set TZ for another zone`);
    });
    return read;
  };
  return {
    log: lead(logOf(({ blocks }) => blocks)),
    readTwice: () => {
      const readers = new Map(inputs.map((input) => [input, readInStep(input.blocks)]));
      const logOfReader = (index: 0 | 1): LogFiles => logOf((input) => readers.get(input)?.[index] ?? input.blocks);
      return [lead(logOfReader(0)), logOfReader(1)];
    },
    peek: () => logOf((input) => input.peek()),
    hasMore: () => inputs.every((input) => input.hasMore()),
    measure: () => measureRead(inputs),
  };
}
