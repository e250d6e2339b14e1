import type { Stats } from 'node:fs';
import { countOf } from '../wording.js';
import { CallError } from '../errors.js';
import { openDestination, openStdout, type Destination } from '../output/destination.js';
import { say, showStatus } from './messages.js';
import { withSignals } from './signals.js';

/** What a run reads, as far as its output needs to know it. */
interface Source {
  /** Which file it is, if it is one: the output must be another. */
  readonly stats?: Stats;
}

/** A run that writes a log. */
interface DestinationRun<S extends Source> {
  /** The file to append to; `-` is standard output. */
  readonly outputFile: string;
  /** Opens what is read, before the output is opened. */
  readonly open: (signal: AbortSignal) => Promise<S>;
  /** What is written and counted. */
  readonly noun?: string;
  /** Whether the work itself shows how far it is: writing comes last and is soon done. */
  readonly showsStatus?: boolean;
  readonly work: (source: S, log: Destination, signal: AbortSignal) => Promise<void>;
}

/**
 * Opens a log, has it written, and closes it. SIGINT and SIGTERM end the work in order; SIGHUP reopens the file, if one was named; a
 * terminal on stderr sees how far it has come.
 *
 * @throws what opening and the work throw, and `Interrupted`
 */
export async function withDestination<S extends Source>({
  outputFile,
  open,
  noun = 'group',
  showsStatus,
  work,
}: DestinationRun<S>): Promise<void> {
  let log: Destination | undefined;
  // Before the log is open there is nothing to reopen.
  const reopen = (): void => log?.reopen();
  await withSignals(
    async (signal) => {
      const source = await open(signal);
      const opened = await openOutput(outputFile, source.stats, noun, signal);
      log = opened;
      const describe = (): string => `${countOf(opened.output.written, noun)} written`;
      const stopStatus = showsStatus === true ? () => undefined : showStatus(describe, true);
      try {
        await work(source, opened, signal);
      } catch (error) {
        opened.leave();
        throw error;
      } finally {
        stopStatus();
      }
      opened.close();
    },
    () => countOf(log?.output.written ?? 0, noun),
    outputFile === '-' ? undefined : reopen,
  );
}

async function openOutput(file: string, input: Stats | undefined, noun: string, signal: AbortSignal): Promise<Destination> {
  if (file === '-') return openStdout(process.stdout, input, noun);
  // What a shell makes of a variable that is not set.
  if (file === '') throw new CallError({ source: '--output' }, 'it is empty', 'name a file, or leave it out');
  return openDestination(file, input, noun, signal, say);
}
