import { ReaderGoneError, StoppedError, type CallError, type DataError } from '../errors.js';
import type { Destination } from '../output/destination.js';
import type { UsedFile } from '../output/log-file.js';
import { openDestination, type PathOrStream } from '../output/open-destination.js';
import type { Rotation } from '../output/rotation.js';
import type { SocketSettings } from '../output/socket-sink.js';
import type { LinePlaces } from '../reading/line-places.js';
import { countOf } from '../wording.js';
import { formatProgress, say, showStatus, type Progress } from './messages.js';
import { STDOUT } from './options/values.js';
import { catchSignals, GRACE_MS, Interrupted } from './signals.js';

/** The options that the output of a command has. */
export interface OutputOptions {
  /** The file to append to; left out or `STDOUT`, standard output. */
  readonly output?: string | undefined;
  /** True to write to stderr instead of standard output. */
  readonly toStderr?: boolean | undefined;
  /** The rotation of that file, if it is rotated. */
  readonly rotation?: Rotation | undefined;
  /** The file to append a copy to, or `STDOUT`; left out for no copy. */
  readonly tee?: string | undefined;
  /** True for what is written in real time: the path is opened anew once it names another file or none. */
  readonly followsPath?: boolean | undefined;
  /** The options of a socket, where the output may be the address of one. */
  readonly socket?: SocketSettings | undefined;
  /** True if the run shows no progress on a terminal. */
  readonly quiet?: boolean | undefined;
}

/** The output of a run, and the end of it. */
interface RunSettings extends OutputOptions {
  /** The noun for what is written and counted, in the singular: `group`, `row`. */
  readonly noun: string;
  /** The files that the options were read from. */
  readonly usedFiles?: readonly UsedFile[];
  /** True for a run that goes on until SIGINT or SIGTERM, its normal end. */
  readonly isService?: boolean;
  /** True if a signal ends the reading only, and a report follows: it takes as long as it takes, or until a second signal. */
  readonly reportsOnSignal?: boolean;
  /** True if a second signal ends the waiting of the run, which then says how it ends. */
  readonly waitsOnSignal?: boolean;
  /** True if SIGHUP reopens a file of the run even if the output is standard output. */
  readonly reopens?: boolean;
}

/** Measures how far a run is, by default by what has been written; or says so in parts that are safe to print on a terminal. */
type Measure = (output: Destination) => Partial<Progress> | readonly string[];

/** The run of a command, which opens what it reads, then its output, and works. */
export class CommandRun {
  /** Aborted by SIGINT and SIGTERM, with `Interrupted` as the reason. */
  readonly signal: AbortSignal;
  /** Aborted by a second signal, with `Interrupted` as the reason, in a run with `waitsOnSignal`. */
  readonly endSignal: AbortSignal;
  /** The files that the run uses so far: one that is opened for writing must be another. */
  readonly usedFiles: UsedFile[];
  /** The file that SIGHUP reopens, once it is open: the output, unless another has been set. */
  reopened: Destination | undefined;
  /** Names a line of the input by its file, where the input is several files. */
  places: LinePlaces | undefined;
  readonly #settings: RunSettings;
  #linesRead: number | undefined;
  readonly #opened: Destination[] = [];
  readonly #reports: (() => void)[] = [];
  #output: Destination | undefined;
  #stopStatus = (): void => undefined;

  constructor(settings: RunSettings, signal: AbortSignal, endSignal: AbortSignal) {
    this.#settings = settings;
    this.signal = signal;
    this.endSignal = endSignal;
    this.usedFiles = [...(settings.usedFiles ?? [])];
  }

  /** Opens a file that the end of the run closes. @throws CallError if it cannot be opened, or is one of those that are used */
  async open({
    output = STDOUT,
    toStderr = false,
    tee,
    ...parts
  }: OutputOptions & Pick<RunSettings, 'noun'>): Promise<Destination> {
    const copy = tee === undefined ? undefined : pathOrStdout(tee);
    const options = { ...parts, usedFiles: [...this.usedFiles], signal: this.signal, warn: say, copy };
    const destination = await openDestination(toStderr && output === STDOUT ? process.stderr : pathOrStdout(output), options);
    this.#opened.push(destination);
    return destination;
  }

  /**
   * Opens the output as `open` does. From then on SIGHUP reopens its file, and a terminal on stderr shows how far the run is; beside an
   * output that the terminal shows too, only of a run that follows logs: mostly there is nothing else to see.
   */
  async openOutput(measure: Measure = () => ({})): Promise<Destination> {
    const output = await this.open(this.#settings);
    this.#output = output;
    this.reopened ??= output;
    if (this.#settings.quiet !== true && (!output.isTerminal || this.#settings.reportsOnSignal === true))
      this.#stopStatus = showStatus((elapsedMs) => {
        const progress = measure(output);
        if ('length' in progress) return progress;
        return formatProgress({ share: undefined, done: output.written, unit: output.noun, ...progress }, elapsedMs);
      });
    return output;
  }

  /** Notes the number of lines read for a report, whose own lines come from no line of the input. */
  readonly onRead = (lines: number): void => {
    if (lines > 0) this.#linesRead = lines;
  };

  /** Adds a report that is made once the work has ended, the last one first; also if it failed, unless the reader of a pipe went away. */
  atEnd(report: () => void): void {
    this.#reports.unshift(report);
  }

  /** Ends the run: what it has opened is closed. @throws CallError if that fails */
  close(): void {
    this.#stopStatus();
    for (const report of this.#reports) report();
    for (const destination of this.#opened) destination.close();
  }

  /** Ends a run that has failed. @returns the error, which says how far the run came */
  leave(error: unknown): unknown {
    this.#stopStatus();
    const isStopped = error instanceof StoppedError;
    if (!(isStopped && error.cause instanceof ReaderGoneError)) for (const report of this.#reports) report();
    for (const destination of this.#opened) destination.close(error);
    if (isStopped) return this.#stoppedBy(error.cause, error.written, error.lastLine, error.lastSource);
    return error instanceof Interrupted ? this.stopped : error;
  }

  /** The error of a run that a signal has ended. */
  get stopped(): StoppedError {
    return this.#stoppedBy(this.signal.reason, this.#output?.written ?? 0);
  }

  /** The content of the output in words: `3 groups written`. */
  get described(): string {
    return `${countOf(this.#output?.written ?? 0, this.#settings.noun)} written`;
  }

  #stoppedBy(cause: unknown, written: number, lastWritten?: number, lastSource?: string): StoppedError {
    const lastLine = this.#linesRead ?? lastWritten;
    const place = lastLine === undefined || this.places?.sources.length === 1 ? undefined : this.places?.placeOf(lastLine);
    return new StoppedError(cause, written, place?.line ?? lastLine, this.#settings.noun, place?.source ?? lastSource);
  }
}

/**
 * Runs a command. SIGINT and SIGTERM end it in order, with a StoppedError; SIGHUP reopens the file of its output, if one was named.
 *
 * @param work opens, works, and returns an error that was found at the end of the input, to be thrown once the output is closed
 */
export async function runCommand(
  settings: RunSettings,
  work: (run: CommandRun) => Promise<CallError | DataError | StoppedError | undefined>,
): Promise<void> {
  const { output = STDOUT, isService = false, reportsOnSignal = false, reopens = output !== STDOUT } = settings;
  const controller = new AbortController();
  const second = new AbortController();
  const run = new CommandRun(settings, controller.signal, second.signal);
  const release = catchSignals(controller, {
    describeWritten: () => run.described,
    onHangup: reopens ? () => run.reopened?.reopen() : undefined,
    graceMs: reportsOnSignal ? undefined : GRACE_MS,
    isService,
    second: settings.waitsOnSignal === true ? second : undefined,
  });
  try {
    const error = await work(run).catch((failure: unknown) => {
      throw run.leave(failure);
    });
    run.close();
    if (error !== undefined) throw error;
  } finally {
    release();
  }
}

function pathOrStdout(file: string): PathOrStream {
  return file === STDOUT ? process.stdout : file;
}
