import { DataError } from '../errors.js';
import type { Input } from '../input/input.js';
import { readInStep } from '../input/read-in-step.js';
import { nameSources } from '../reading/line-places.js';
import { findFirstSecond, sortByFirstSecond } from '../reading/log-ends.js';
import { LogFiles, type EnvelopeOptions } from '../reading/log-files.js';
import type { CommandRun } from './command-run.js';
import { measureRead, openSource, refuseSecondStdin } from './inputs.js';
import { say } from './messages.js';
import type { Progress } from './progress.js';

/** The logs of a command, opened, to be read as one. */
export interface OpenLogs {
  readonly log: LogFiles;
  /** Gives the log to two readers, instead of `log`: both must read it at the same time. */
  readonly readTwice: () => readonly [LogFiles, LogFiles];
  /** Gives the same files to be read before `log` is, as far as their inputs can be peeked at. */
  readonly peek: () => LogFiles;
  /** Returns true while more bytes are there, or will come without a wait; false while any input makes its reader wait. */
  readonly hasMore: () => boolean;
  /** Measures how far the reading is. */
  readonly measure: () => Progress;
}

/**
 * Opens the logs of a command. Several are read in the order of their first records' times; logs of equal times, and logs without one,
 * keep the order given. An early end of the run names its last line by its file.
 *
 * @param files as given; none for standard input
 * @param command the name of the command, for messages
 * @param envelope the envelopes of the lines
 * @throws CallError if a file cannot be opened, standard input is given twice, or no file is given and stdin is a terminal
 */
export async function openLogs(
  files: readonly string[],
  command: string,
  run: CommandRun,
  envelope: EnvelopeOptions,
): Promise<OpenLogs> {
  refuseSecondStdin(files, 'name it once');
  const given: Input[] = [];
  for (const file of files.length === 0 ? [undefined] : files) given.push(await openSource(file, command, 'log', run));
  const inputs = given.length > 1 ? await sortByTime(given, envelope) : given;
  const logFiles = inputs.map(({ source, blocks }) => ({ source, chunks: blocks }));
  const log = new LogFiles(logFiles, envelope);
  const lead = (places: LogFiles): LogFiles => {
    run.places = places;
    run.atEnd(() => {
      sayAssumedZone(places);
    });
    return places;
  };
  return {
    log: lead(log),
    readTwice: () => {
      const files = logFiles.map(({ source, chunks }) => ({ source, readers: readInStep(chunks) }));
      return [
        lead(
          new LogFiles(
            files.map(({ source, readers: [chunks] }) => ({ source, chunks })),
            envelope,
          ),
        ),
        new LogFiles(
          files.map(({ source, readers: [, chunks] }) => ({ source, chunks })),
          envelope,
        ),
      ];
    },
    peek: () =>
      new LogFiles(
        inputs.map(({ source, peek }) => ({ source, chunks: peek() })),
        envelope,
      ),
    hasMore: () => inputs.every((input) => input.hasMore()),
    measure: () => measureRead(inputs),
  };
}

function sayAssumedZone(log: LogFiles): void {
  const { assumedZone: zone } = log;
  if (zone === undefined) return;
  say(
    `${nameSources(log)}: its stamps show no year and no zone, and were read as the latest times of ${zone}; set TZ for another zone`,
  );
}

async function sortByTime(inputs: readonly Input[], envelope: EnvelopeOptions): Promise<readonly Input[]> {
  const seconds = new Map<Input, number | undefined>();
  for (const input of inputs) {
    try {
      seconds.set(input, await findFirstSecond(input.peek(), envelope));
    } catch (error) {
      // The reading meets a fault of the data again, after what came before it.
      if (!(error instanceof DataError)) throw error;
    }
  }
  return sortByFirstSecond(inputs, (input) => seconds.get(input));
}
