import { fstatSync, type Stats } from 'node:fs';
import { CallError } from '../errors.js';
import { escapeText } from '../wording.js';
import type { Destination } from './destination.js';
import {
  closeLogFile,
  endHalfRecord,
  findLastLoadFailure,
  isRemoved,
  refuseRemoved,
  reopenLogFile,
  type UsedFile,
} from './log-file.js';
import { FileOutput, type Output } from './output.js';

/** Options of a file that is appended to. */
export interface FileOptions {
  /** The files that the run reads: none of them may be this one. */
  readonly usedFiles: readonly UsedFile[];
  /** The noun of what is written and counted, in the singular: `group`, `row`. */
  readonly noun: string;
  /** Ends the waiting for a FIFO's reader, and the search for the last load failure. */
  readonly signal: AbortSignal;
  /** Takes a line about half a record that was ended, a file that cannot be reopened, or one that was removed. */
  readonly warn: (message: string) => void;
}

/** A file that is being written is checked for its removal at this interval. */
const REMOVAL_CHECK_MS = 2000;

/** A file, or a device, that is appended to. */
export class FileDestination implements Destination {
  readonly stats: Stats;
  protected readonly file: FileOutput;
  protected readonly path: string;
  readonly #options: FileOptions;
  /** True for a regular file that had a name. `-o /dev/fd/3` may be a file without a name: whoever holds it open reads it. */
  readonly #isWatched: boolean;
  readonly #timer: NodeJS.Timeout;
  #hasWarned = false;
  #closingError: CallError | undefined;

  /** @param fd the open file @param path its name, as given */
  constructor(fd: number, path: string, options: FileOptions) {
    const { noun, warn } = options;
    this.stats = fstatSync(fd);
    this.path = path;
    this.#options = options;
    this.file = new FileOutput(fd, path, noun, async (current) => {
      if (await endHalfRecord(current)) warn(`${escapeText(path)}: it ended in half a record; a line feed now ends it`);
    });
    this.#isWatched = this.stats.isFile() && this.stats.nlink > 0;
    this.#timer = setInterval(() => {
      this.#warnIfRemoved();
    }, REMOVAL_CHECK_MS).unref();
  }

  get output(): Output {
    return this.file;
  }

  get isContinued(): boolean {
    return this.stats.isFile() && this.stats.size > 0;
  }

  readonly findLastSecond = (): Promise<number | undefined> => {
    return this.file.use((fd) => findLastLoadFailure(fd, this.#options.signal));
  };

  readonly reopen = (): void => {
    if (!this.stats.isFile()) return;
    this.file.replace((before) => {
      this.#warnIfRemoved();
      const after = this.#tryToReopen();
      if (after === undefined) return before;
      this.#closeReplaced(before);
      return after;
    });
  };

  readonly close = (): void => {
    clearInterval(this.#timer);
    if (this.#isWatched) refuseRemoved(this.file.fd, this.path);
    closeLogFile(this.file.fd, this.path);
    if (this.#closingError !== undefined) throw this.#closingError;
  };

  readonly leave = (): void => {
    clearInterval(this.#timer);
    this.#warnIfRemoved();
  };

  /** Continues in the file that has the path now, and creates the file if it does not exist. @throws CallError */
  protected continueAnew(): void {
    const after = reopenLogFile(this.path, this.#options.usedFiles);
    this.file.replace((before) => {
      this.#closeReplaced(before);
      return after;
    });
  }

  /** Opens the file that has the path now; warns and gives undefined if that fails. */
  #tryToReopen(): number | undefined {
    try {
      return reopenLogFile(this.path, this.#options.usedFiles);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.#options.warn(`${error.message} (on SIGHUP; the run goes on in the file that it has open)`);
      return undefined;
    }
  }

  #closeReplaced(fd: number): void {
    try {
      closeLogFile(fd, this.path);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // The last writes to the file may be lost: the run goes on, and fails at its end.
      this.#closingError ??= error;
    }
    this.#hasWarned = false;
  }

  #warnIfRemoved(): void {
    if (this.#hasWarned || !this.#isWatched || !isRemoved(this.file.fd)) return;
    this.#hasWarned = true;
    const message = 'it was removed while it was written; what is in it is lost, SIGHUP makes it anew';
    this.#options.warn(`${escapeText(this.path)}: ${message}`);
  }
}
