import { ReaderGoneError, StoppedError, type CallError, type DataError } from '../errors.js';
import type { Destination } from '../output/destination.js';
import type { UsedFile } from '../output/log-file.js';
import { openDestination, type Target } from '../output/open-destination.js';
import type { Rotation } from '../output/rotation.js';
import type { LinePlaces } from '../reading/line-places.js';
import { countOf } from '../wording.js';
import { say } from './messages.js';
import { STDOUT } from './options/output-file.js';
import { progressDescriber, showProgress, type Progress } from './progress.js';
import { GRACE_MS, Interrupted, withSignals } from './signals.js';

/** The options that the output of a command has. */
export interface OutputOptions {
  /** The file to append to; left out or `STDOUT`, standard output. */
  readonly output?: string | undefined;
  /** The rotation of that file, if it is rotated. */
  readonly rotation?: Rotation | undefined;
  /** The file to append a copy to, or `STDOUT`; left out for no copy. */
  readonly tee?: string | undefined;
  /** True if the run shows no progress on a terminal. */
  readonly quiet?: boolean | undefined;
}

/** The output of a run, and the end of it. */
interface RunSettings extends OutputOptions {
  /** The noun for what is written and counted, in the singular: `group`, `row`. */
  readonly noun: string;
  /** True if a signal ends the reading only, and a report follows: it takes as long as it takes, or until a second signal. */
  readonly reportsOnSignal?: boolean;
  /** Called on SIGHUP in place of reopening the output. */
  readonly onHangup?: () => void;
}

/** The run of a command, which opens what it reads, then its output, and works. */
export class CommandRun {
  /** Aborted by SIGINT and SIGTERM, with `Interrupted` as the reason. */
  readonly signal: AbortSignal;
  /** Names a line of the input by its file, where the input is several files. */
  places: LinePlaces | undefined;
  /** The number of lines that have been read for a report, whose lines come from no line of the input. */
  linesRead: number | undefined;
  readonly #settings: RunSettings;
  #output: Destination | undefined;
  #stopStatus = (): void => undefined;

  constructor(settings: RunSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.signal = signal;
  }

  /**
   * Opens the output. From then on SIGHUP reopens its file, and a terminal on stderr shows how far the run is.
   *
   * @param usedFiles the files that the run uses, those of its options included: the output must be another file
   * @param measure how far the run is; left out, by what has been written, of a run whose end is unknown
   * @throws CallError if the output cannot be opened, or is one of those that are used
   */
  async openOutput(usedFiles: readonly UsedFile[], measure = measureWritten): Promise<Destination> {
    const { noun, output: file = STDOUT, rotation, tee, quiet } = this.#settings;
    const copy = tee === undefined ? undefined : targetOf(tee);
    const output = await openDestination(targetOf(file), { usedFiles, noun, signal: this.signal, warn: say, rotation, copy });
    this.#output = output;
    if (quiet !== true)
      this.#stopStatus = showProgress(
        progressDescriber(() => measure(output)),
        output,
      );
    return output;
  }

  /** Reopens the file of the output. Until the output is open there is nothing to reopen. */
  reopen(): void {
    this.#output?.reopen();
  }

  /** Ends the run: its output is closed. @throws CallError if that fails */
  close(): void {
    this.#stopStatus();
    this.#output?.close();
  }

  /** Ends a run that has failed. @returns the error, which says how far the run came */
  leave(error: unknown): unknown {
    this.#stopStatus();
    this.#output?.close(error);
    if (error instanceof Interrupted) return this.#stoppedBy(error, this.#output?.written ?? 0, undefined);
    return error instanceof StoppedError ? this.#stoppedBy(error.cause, error.written, error.lastLine) : error;
  }

  /** The content of the output in words: `3 groups written`. */
  get described(): string {
    return `${countOf(this.#output?.written ?? 0, this.#settings.noun)} written`;
  }

  #stoppedBy(cause: unknown, written: number, lastWritten: number | undefined): StoppedError {
    const { noun } = this.#settings;
    const lastLine = this.linesRead ?? lastWritten;
    const place = lastLine === undefined || this.places?.sources.length === 1 ? undefined : this.places?.placeOf(lastLine);
    return new StoppedError(cause, written, place?.line ?? lastLine, noun, place?.source);
  }
}

/**
 * Runs a command. SIGINT and SIGTERM end it in order; SIGHUP reopens the file of its output, if one was named.
 *
 * @param work opens, works, and returns a fault that was found at the end of the input, to be thrown once the output is closed
 * @throws what the work throws, and StoppedError for a signal
 */
export async function runCommand(
  settings: RunSettings,
  work: (run: CommandRun) => Promise<CallError | DataError | undefined>,
): Promise<void> {
  const { output = STDOUT, reportsOnSignal, onHangup } = settings;
  let run: CommandRun | undefined;
  const openAndWork = async (signal: AbortSignal): Promise<void> => {
    run = new CommandRun(settings, signal);
    let fault: CallError | DataError | undefined;
    try {
      fault = await work(run);
    } catch (error) {
      throw run.leave(error);
    }
    run.close();
    if (fault !== undefined) throw fault;
  };
  await withSignals(openAndWork, () => run?.described ?? '', {
    onHangup: onHangup ?? (output === STDOUT ? undefined : () => run?.reopen()),
    graceMs: reportsOnSignal === true ? undefined : GRACE_MS,
  });
}

/** The target that the name of an output stands for: `-` is standard output. */
export function targetOf(file: string): Target {
  return file === STDOUT ? process.stdout : file;
}

function measureWritten({ written, noun }: Destination): Progress | string {
  return { share: undefined, done: written, unit: noun };
}

/**
 * Runs work, and reports when the work has ended, also if it failed. Silent only if the reader of a pipe went away.
 *
 * @returns what `report` returns
 */
export async function reportAtEnd<T>(work: () => Promise<void>, report: () => T): Promise<T | undefined> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StoppedError && error.cause instanceof ReaderGoneError)) report();
    throw error;
  }
  return report();
}
