import { countOf, cutText, quoteText } from './wording.js';

/** The place of an error: a source as the user named it, and the physical line (from 1) where the error is in a line. */
export interface Place {
  readonly source: string;
  readonly line?: number | undefined;
  /** True if the source is an option, by its key (`rotateEvery`). The command shows its flag. */
  readonly isOption?: true;
}

/** Names an option by its key, with a value where one is meant, in the way in which a caller gives it. */
export type NameOption = (key: string, value?: string) => string;

/** A part of a message. One that names options is made with their names, so that the library and the command each say their own. */
export type Phrase = string | ((option: NameOption) => string);

/** Names an option as callers of the library give it: `options.order`, `options.order: sort`. */
const nameOfLibrary: NameOption = (key, value) => {
  const name = /^(?:options\.|-)/.test(key) ? key : `options.${key}`;
  return value === undefined ? name : `${name}: ${value}`;
};

function phrase(text: Phrase, option: NameOption): string {
  return typeof text === 'string' ? text : text(option);
}

/** A foreseen error. `message` is one line, `SOURCE:LINE: problem; remedy`, safe for a terminal if `problem` quotes input by `wording.ts`. */
abstract class KnownError extends Error {
  readonly place: Place;
  readonly problem: string;
  readonly remedy: string;
  readonly #format: (option: NameOption) => string;

  constructor(place: Place, problem: Phrase, remedy: Phrase, options?: ErrorOptions) {
    const format = (option: NameOption): string => {
      const shownPlace = place.isOption === true ? option(place.source) : formatPlace(place);
      return `${shownPlace}: ${phrase(problem, option)}; ${phrase(remedy, option)}`;
    };
    super(format(nameOfLibrary), options);
    this.name = new.target.name;
    this.place = place;
    this.problem = phrase(problem, nameOfLibrary);
    this.remedy = phrase(remedy, nameOfLibrary);
    this.#format = format;
  }

  /** The message with other names of options than those of the library: the command says flags. @internal */
  messageWith(option: NameOption): string {
    return this.#format(option);
  }
}

/** An error in the data: exit code 1. */
export class DataError extends KnownError {}

/** A row of a request list is not a request. `--on-bad-row skip` skips such rows; no other error is recovered from. */
export class BadRowError extends DataError {}

/** An error in the call or the environment (an option, a missing file, a full disk): exit code 2. */
export class CallError extends KnownError {}

/** Makes the error for the value of an option, by its key: `options.loop: "0" is …; give …` in the library, `--loop: …` in the command. */
export function refuseOption(key: string, value: string, problem: Phrase, remedy: Phrase, options?: ErrorOptions): CallError {
  return refuseUse(key, (option) => `${quoteText(value)} ${phrase(problem, option)}`, remedy, options);
}

/** Makes the error for an option that must not be given so, whatever its value: `--tee: …; …` in the command. */
export function refuseUse(key: string, problem: Phrase, remedy: Phrase, options?: ErrorOptions): CallError {
  return new CallError({ source: key, isOption: true }, problem, remedy, options);
}

/** The reader of a pipe went away: the run ends, without an error message. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** A run ended before its input did. `cause` is the reason; everything counted here is whole in the output. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  constructor(
    cause: unknown,
    /** The number of whole groups (or what else `noun` names) that this run has written. */
    readonly written: number,
    /** The input line of the last group written; of a report on the input, the last line read. */
    readonly lastLine: number | undefined,
    /** The noun for what is counted, in the singular: `group`, `row`. */
    readonly noun: string,
    /** The file of `lastLine`, where the input is several files. */
    readonly lastSource?: string,
  ) {
    super(`stopped after ${countOf(written, noun)}`, { cause });
  }
}

/** PATH_MAX of Linux: a longer text is not the name of a file. */
const MAX_SOURCE_LENGTH = 4096;

/** Formats a place as `SOURCE:LINE` or `SOURCE`, safe to print on a terminal. */
export function formatPlace({ source, line }: Place): string {
  const name = source === '' ? '""' : cutText(source, MAX_SOURCE_LENGTH);
  return line === undefined ? name : `${name}:${String(line)}`;
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  ENOENT: ['no such file or folder', 'check the path'],
  EACCES: ['permission denied', 'check who owns it and its mode'],
  EPERM: ['operation not permitted', 'check who owns it and its mode'],
  EISDIR: ['is a folder', 'name a file'],
  ENOTDIR: ['a part of the path is not a folder', 'check the path'],
  EROFS: ['the file system is read-only', 'name a file elsewhere'],
  ENOSPC: ['no space left on the device', 'free some space'],
  EDQUOT: ['the disk quota is used up', 'free some space'],
  EFBIG: ['the file would exceed the size limit', 'raise the limit (ulimit -f) or name another file'],
  ENXIO: ['is a FIFO without a reader', 'start its reader, or name a file'],
  EMFILE: ['too many open files', 'raise the limit (ulimit -n)'],
  ERR_ACCESS_DENIED: ['the permission model of Node refuses it', 'allow it with --allow-fs-read or --allow-fs-write'],
};

/** Turns the error of a system call on `source` into a `CallError`; any other error is returned unchanged. */
export function explainSystemError<E>(error: E, source: string): E | CallError {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  const [problem, remedy] = SYSTEM_ERRORS[code] ?? [`the system reports ${code}`, 'check the file'];
  return new CallError({ source }, problem, remedy, { cause: error });
}

/** The `code` (`ENOENT`, …) of a system call that failed, or that the permission model of Node refused; undefined for other errors. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'string') return undefined;
  return 'syscall' in error || error.code === 'ERR_ACCESS_DENIED' ? error.code : undefined;
}
