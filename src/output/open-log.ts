import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { fstatSync, type Stats } from 'node:fs';
import { isPipe } from '../descriptor.js';
import { closeLogFile, endHalfRecord, findLastLoadFailure, openLogFile, refuseInput } from './log-file.js';
import { FileOutput, StreamOutput, type Output } from './output.js';

/** A log that is open for writing. */
export interface Log {
  readonly output: Output;
  /** Whether it is a file that held something already: a list that is appended to has its header. */
  readonly isContinued: boolean;
  /** Looks for the last load-failure record that it has: its Unix second, or undefined if there is none. */
  readonly findLastSecond: () => Promise<number | undefined>;
  /** To be called when all has been written. @throws CallError */
  readonly close: () => void;
}

const STDOUT_FD = 1;

/**
 * Takes standard output for the log.
 *
 * @param stdout `process.stdout`, used where it has a reader that may stall
 * @param input the file that is read, if there is one: it must not be the log
 * @throws CallError if it is the input file
 */
export function openStdout(stdout: Writable, input: Stats | undefined): Log {
  refuseInput(STDOUT_FD, input, '<stdout>');
  const output = isPipe(STDOUT_FD) ? new StreamOutput(stdout, '<stdout>') : new FileOutput(STDOUT_FD, '<stdout>');
  return {
    output,
    isContinued: isContinued(STDOUT_FD),
    findLastSecond: () => Promise.resolve(undefined),
    close: () => undefined,
  };
}

/**
 * Opens a log file for appending, and makes it if there is none; or opens a FIFO or a device. Before the first write, half a
 * record at its end is ended with an LF.
 *
 * @param input the file that is read, if there is one: it must not be the log
 * @param signal ends waiting and looking
 * @param warn called when there was half a record
 * @throws CallError if it cannot be opened or is the input file
 */
export async function openLog(path: string, input: Stats | undefined, signal: AbortSignal, warn: () => void): Promise<Log> {
  const fd = await openLogFile(path, input, signal);
  if (isPipe(fd)) {
    const stream = new Socket({ fd, readable: false, writable: true });
    // The writer of the log hears of it.
    stream.on('error', () => undefined);
    return {
      output: new StreamOutput(stream, path),
      isContinued: false,
      findLastSecond: () => Promise.resolve(undefined),
      close: () => stream.end(),
    };
  }
  const mend = async (): Promise<void> => {
    if (await endHalfRecord(fd)) warn();
  };
  return {
    output: new FileOutput(fd, path, mend),
    isContinued: isContinued(fd),
    findLastSecond: () => findLastLoadFailure(fd, signal),
    close: () => {
      closeLogFile(fd, path);
    },
  };
}

function isContinued(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFile() && stats.size > 0;
}
