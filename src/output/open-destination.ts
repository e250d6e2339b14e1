import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { isPipe } from '../input/is-pipe.js';
import type { Destination } from './destination.js';
import { FileDestination, type FileOptions } from './file-destination.js';
import { openLogFile, refuseUsedFiles, type UsedFile } from './log-file.js';
import { FileOutput, StreamOutput } from './output.js';
import type { Rotation } from './rotation.js';

/** Options of `openDestination`. */
export interface DestinationOptions extends FileOptions {
  /** Left out, the file is not rotated. */
  readonly rotation?: Rotation | undefined;
}

const STDOUT_FD = 1;

/**
 * Makes standard output the destination.
 *
 * @param stdout `process.stdout`, written to only if standard output is a pipe or a socket
 * @param usedFiles the files that the run uses: none of them may be standard output
 * @param noun the noun of what is written and counted, in the singular: `group`, `row`
 * @throws CallError if standard output is one of the files that are read
 */
export function openStdout(stdout: Writable, usedFiles: readonly UsedFile[], noun: string): Destination {
  refuseUsedFiles(STDOUT_FD, usedFiles, '<stdout>');
  const stats = fstatSync(STDOUT_FD);
  const output = isPipe(STDOUT_FD) ? new StreamOutput(stdout, '<stdout>', noun) : new FileOutput(STDOUT_FD, '<stdout>', noun);
  return {
    output,
    stats,
    isContinued: stats.isFile() && stats.size > 0,
    findLastSecond: () => Promise.resolve(undefined),
    reopen: () => undefined,
    close: () => undefined,
    leave: () => undefined,
  };
}

/**
 * Opens a file for appending, creates it if it does not exist; or opens a FIFO or a device. Before the first write, half a record
 * at the end of the file is ended with an LF.
 *
 * @throws CallError if the file cannot be opened, is one of those that are used, or cannot be rotated
 */
export async function openDestination(path: string, options: DestinationOptions): Promise<Destination> {
  const { usedFiles, noun, signal, rotation } = options;
  if (rotation !== undefined) {
    const { openRotated } = await import('./rotated-destination.js');
    return openRotated(path, { ...options, rotation });
  }
  const fd = await openLogFile(path, usedFiles, signal);
  if (!isPipe(fd)) return new FileDestination(fd, path, options);
  const stream = new Socket({ fd, readable: false, writable: true });
  // The callback of `write` reports the error; without a listener it would end the process.
  stream.on('error', () => undefined);
  return {
    output: new StreamOutput(stream, path, noun),
    stats: fstatSync(fd),
    isContinued: false,
    findLastSecond: () => Promise.resolve(undefined),
    reopen: () => undefined,
    close: () => stream.end(),
    leave: () => undefined,
  };
}
