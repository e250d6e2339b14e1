import { CallError, DataError } from '../errors.js';
import { openInput, openStdin, type Input } from '../input/input.js';
import type { UsedFile } from '../output/log-file.js';
import { findFirstSecond, sortByFirstSecond } from '../reading/first-second.js';
import { LogFiles } from '../reading/log-files.js';
import type { CommandRun } from './command-run.js';
import type { Progress } from './progress.js';

/** The name that stands for standard input. */
export const STDIN = '-';

/**
 * Opens the input of a command: a file, or standard input for `-` and where no file is given.
 *
 * @param command the name of the command, for the message
 * @param what the kind of input, for the message: `request list`
 * @throws CallError if the file cannot be opened, and if no file is given and stdin is a terminal
 */
export async function openSource(file: string | undefined, command: string, what: string, signal: AbortSignal): Promise<Input> {
  if (file === undefined && process.stdin.isTTY) {
    const remedy = `name a file or pipe one in, see webmail-diaglog ${command} --help`;
    throw new CallError({ source: command }, `no ${what} is given`, remedy);
  }
  if (file === undefined || file === STDIN) return openStdin(() => process.stdin, signal);
  return openInput(file, signal);
}

/** Names an input as the file that a run reads. */
export function inputFile({ stats }: Input): UsedFile {
  return { stats, role: 'input' };
}

/** The logs of a command, opened, to be read as one. */
export interface OpenLogs {
  readonly log: LogFiles;
  /** The files of `log`, to be read instead of it. */
  readonly files: readonly { readonly source: string; readonly chunks: AsyncIterable<Uint8Array> }[];
  /** Gives the same files to be read before `log` is, as far as their inputs can be peeked at. */
  readonly peek: () => LogFiles;
  /** Returns true while more bytes are there, or will come without a wait. */
  readonly hasMore: () => boolean;
  /** Measures how far the reading is. */
  readonly measure: () => Progress;
  /** The files that the run reads: the output must be another one. */
  readonly usedFiles: readonly UsedFile[];
}

/**
 * Opens the logs of a command. Several are read in the order of their first records' times; logs of equal times, and logs without one,
 * keep the order given. An early end of the run names its last line by its file.
 *
 * @param files as given; none for standard input
 * @param command the name of the command, for messages
 * @throws CallError if a file cannot be opened, standard input is given twice, or no file is given and stdin is a terminal
 */
export async function openLogs(files: readonly string[], command: string, run: CommandRun): Promise<OpenLogs> {
  if (files.filter((file) => file === STDIN).length > 1) {
    throw new CallError({ source: STDIN }, 'standard input can be read only once', 'name it once');
  }
  const given: Input[] = [];
  for (const file of files.length === 0 ? [undefined] : files) given.push(await openSource(file, command, 'log', run.signal));
  const inputs = given.length > 1 ? await sortByTime(given) : given;
  let [current] = inputs;
  const read = async function* (input: Input): AsyncGenerator<Uint8Array> {
    current = input;
    yield* input.chunks;
  };
  const logFiles = inputs.map((input) => ({ source: input.source, chunks: read(input) }));
  const log = new LogFiles(logFiles);
  run.places = log;
  return {
    log,
    files: logFiles,
    peek: () => new LogFiles(inputs.map(({ source, peek }) => ({ source, chunks: peek() }))),
    hasMore: () => current?.hasMore() ?? false,
    measure: () => measureRead(inputs),
    usedFiles: inputs.map(inputFile),
  };
}

async function sortByTime(inputs: readonly Input[]): Promise<readonly Input[]> {
  const seconds = new Map<Input, number | undefined>();
  for (const input of inputs) seconds.set(input, await firstSecondOf(input));
  return sortByFirstSecond(inputs, (input) => seconds.get(input));
}

async function firstSecondOf(input: Input): Promise<number | undefined> {
  try {
    return await findFirstSecond(input.peek());
  } catch (error) {
    // The reading meets it again, after what came before it.
    if (error instanceof DataError) return undefined;
    throw error;
  }
}

/** The part of an input that tells how far its reading is. */
type MeasuredInput = Pick<Input, 'isGzip' | 'bytesRead' | 'bytesGiven'> & {
  readonly stats: Pick<Input['stats'], 'isFile' | 'size'>;
};

/** The bytes of a log in a byte of its gzip, until the first gzip has been begun. Logs of this kind have 20 to 45. */
const USUAL_RATIO = 30;

/**
 * Measures how far the reading of inputs is, in unpacked bytes. For gzip that has not been read yet, their number is estimated from
 * the gzip that has been. A pipe has no known end.
 */
export function measureRead(inputs: readonly MeasuredInput[]): Progress {
  const given = sum(inputs, ({ bytesGiven }) => bytesGiven());
  const packed = inputs.filter(({ isGzip }) => isGzip);
  const packedRead = sum(packed, ({ bytesRead }) => bytesRead());
  const ratio = packedRead > 0 ? sum(packed, ({ bytesGiven }) => bytesGiven()) / packedRead : USUAL_RATIO;
  const expected = sum(inputs, ({ stats, isGzip }) => (stats.isFile() ? stats.size * (isGzip ? ratio : 1) : NaN));
  return { share: expected > 0 ? Math.min(1, given / expected) : undefined, done: given, unit: 'B' };
}

function sum<T>(values: readonly T[], amountOf: (value: T) => number): number {
  return values.reduce((total, value) => total + amountOf(value), 0);
}
