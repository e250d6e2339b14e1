import { ReaderGoneError, StoppedError } from '../errors.js';
import type { Destination } from '../output/destination.js';
import type { UsedFile } from '../output/log-file.js';
import { openDestination, type PathOrStream, type SinkOptions } from '../output/open-destination.js';
import type { LinePlaces } from '../reading/line-places.js';
import { countOf } from '../wording.js';
import { formatProgress, say, showStatus, type Progress } from './messages.js';
import { STDOUT } from './options/values.js';
import { catchSignals, Interrupted, type SignalEffect } from './signals.js';

/** A file, or `STDOUT`, to write to. */
interface OutputSettings extends Pick<SinkOptions, 'noun' | 'rotation' | 'followsPath' | 'socket'> {
  /** Left out, standard output. */
  readonly output?: PathOrStream | undefined;
  /** The file to append a copy to; left out for no copy. */
  readonly tee?: string | undefined;
}

interface RunSettings extends OutputSettings {
  /** True if the run shows no progress on a terminal. */
  readonly quiet?: boolean | undefined;
  /** The files that the options were read from. */
  readonly usedFiles?: readonly UsedFile[];
  readonly onSignal?: SignalEffect;
}

/** Measures how far a run is, by default by what has been written; or says so in parts that are safe to print on a terminal. */
type Measure = (output: Destination) => Partial<Progress> | readonly string[];

/** The run of a command, which opens what it reads, then its output, and works. */
export class CommandRun {
  /** Aborted by SIGINT and SIGTERM, with `Interrupted` as the reason. */
  readonly signal: AbortSignal;
  /** Aborted by a second signal, with `Interrupted` as the reason, in a run that waits. */
  readonly endSignal: AbortSignal;
  /** The files that the run uses so far: one that is opened for writing must be another. */
  readonly usedFiles: UsedFile[];
  /** The file that SIGHUP reopens, once it is open: the output, unless another has been set. */
  reopened: Destination | undefined;
  /** Names a line of the input by its file, where the input is several files. */
  places: LinePlaces | undefined;
  readonly #releaseSignals: () => void;
  readonly #opened: { close(failure?: unknown): void }[] = [];
  readonly #reports: (() => void)[] = [];
  #linesRead: number | undefined;
  #output: Destination | undefined;
  #stopStatus = (): void => undefined;

  constructor(private readonly settings: RunSettings) {
    const { output = STDOUT, onSignal = 'stop', noun, usedFiles = [] } = settings;
    const reopens = output !== STDOUT || onSignal === 'wait';
    const describeWritten = (): string => `${countOf(this.#output?.written ?? 0, noun)} written`;
    const signals = catchSignals(onSignal, describeWritten, reopens ? () => this.reopened?.reopen() : undefined);
    this.signal = signals.signal;
    this.endSignal = signals.endSignal;
    this.#releaseSignals = signals.release;
    this.usedFiles = [...usedFiles];
  }

  /** Opens a file that the end of the run closes. @throws CallError if it cannot be opened, or is one of those that are used */
  async open({ output, tee, ...parts }: OutputSettings): Promise<Destination> {
    const copy = tee === undefined ? undefined : pathOrStdout(tee);
    const options = { ...parts, usedFiles: [...this.usedFiles], signal: this.signal, warn: say, copy };
    return this.closeAtEnd(await openDestination(pathOrStdout(output), options));
  }

  /** Has the end of the run close what is open. */
  closeAtEnd<T extends { close(failure?: unknown): void }>(opened: T): T {
    this.#opened.push(opened);
    return opened;
  }

  /**
   * Opens the output as `open` does. From then on SIGHUP reopens its file, and a terminal on stderr shows how far the run is; beside an
   * output that the terminal shows too, only of a run that follows logs: mostly there is nothing else to see.
   */
  async openOutput(measure: Measure = () => ({})): Promise<Destination> {
    const { quiet, onSignal } = this.settings;
    const output = await this.open(this.settings);
    this.#output = output;
    this.reopened ??= output;
    if (quiet !== true && (!output.isTerminal || onSignal === 'report' || onSignal === 'wait'))
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

  /** The error of a run that a signal has ended: says how far it came. */
  get stopped(): StoppedError {
    return this.#locate(new StoppedError(this.signal.reason, this.#output?.written ?? 0, undefined, this.settings.noun));
  }

  /** Ends the run: what it has opened is closed. @returns the error of a run that has failed, which says how far it came @throws CallError */
  close(failure?: unknown): unknown {
    this.#stopStatus();
    const isStopped = failure instanceof StoppedError;
    if (!isStopped || !(failure.cause instanceof ReaderGoneError)) for (const report of this.#reports) report();
    try {
      this.#closeOpened(failure);
    } finally {
      this.#releaseSignals();
    }
    if (failure instanceof Interrupted) return this.stopped;
    return isStopped ? this.#locate(failure) : failure;
  }

  /** Closes all that is open, the last one first, also if one of them cannot be closed: it would keep the process alive. */
  #closeOpened(failure: unknown): void {
    const last = this.#opened.pop();
    if (last === undefined) return;
    try {
      last.close(failure);
    } finally {
      this.#closeOpened(failure);
    }
  }

  #locate({ cause, written, lastLine: lastWritten, lastSource, noun }: StoppedError): StoppedError {
    const lastLine = this.#linesRead ?? lastWritten;
    const place = lastLine === undefined || this.places?.sources.length === 1 ? undefined : this.places?.placeOf(lastLine);
    return new StoppedError(cause, written, place?.line ?? lastLine, noun, place?.source ?? lastSource);
  }
}

/**
 * Runs a command. SIGINT and SIGTERM end it in order, with a StoppedError; SIGHUP reopens the file of its output, if one was named.
 * @param work opens, works, and returns an error that was found at the end of the input, to be thrown once the output is closed
 */
export async function runCommand(settings: RunSettings, work: (run: CommandRun) => Promise<Error | undefined>): Promise<void> {
  const run = new CommandRun(settings);
  const error = await work(run).catch((failure: unknown) => {
    throw run.close(failure);
  });
  run.close();
  if (error !== undefined) throw error;
}

function pathOrStdout(file: PathOrStream = STDOUT): PathOrStream {
  return file === STDOUT ? process.stdout : file;
}
