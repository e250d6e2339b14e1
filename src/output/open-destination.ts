import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { explainSystemError, ReaderGoneError, systemErrorCode } from '../errors.js';
import { isPipe } from '../input/input.js';
import { AppendedFile, type FileOptions } from './appended-file.js';
import type { Packet } from './packet.js';
import { CopiedDestination, Destination } from './destination.js';
import { FileDestination } from './file-destination.js';
import { openLogFile, refuseUsed } from './log-file.js';
import { RotatedFile } from './rotated-file.js';
import { refuseRotation, type Rotation } from './rotation.js';

/** The path of a file, a FIFO or a device; or `process.stdout` for standard output. */
export type PathOrStdout = string | Writable;

/** Options of `openDestination`. */
interface DestinationOptions extends FileOptions {
  /** The rotation of the file, if any. */
  readonly rotation?: Rotation | undefined;
  /** The path of the copy, or standard output; the copy is written first. Left out, there is no copy. */
  readonly copy?: PathOrStdout | undefined;
}

const STDOUT_FD = 1;
const STDOUT_NAME = '<stdout>';

/**
 * Opens standard output, a FIFO, a device, or a file for appending, which is created if it does not exist. Half a record at the end of a
 * file is ended with an LF before the first write.
 *
 * @throws CallError if a file cannot be opened, is one of the used files, or cannot be rotated
 */
export async function openDestination(
  output: PathOrStdout,
  { rotation, copy, ...options }: DestinationOptions,
): Promise<Destination> {
  if (copy === undefined) return openOne(output, rotation, options);
  const opened = await openOne(copy, undefined, options);
  const usedFiles = [...options.usedFiles, { stats: opened.stats, role: 'tee' } as const];
  return new CopiedDestination(opened, await openOne(output, rotation, { ...options, usedFiles }));
}

async function openOne(output: PathOrStdout, rotation: Rotation | undefined, options: FileOptions): Promise<Destination> {
  const { usedFiles, noun, signal } = options;
  if (typeof output !== 'string') {
    const stats = fstatSync(STDOUT_FD);
    refuseUsed(stats, usedFiles, STDOUT_NAME);
    return isPipe(stats)
      ? new StreamDestination(output, STDOUT_FD, STDOUT_NAME, noun)
      : new FileDestination(STDOUT_FD, STDOUT_NAME, noun);
  }
  if (rotation !== undefined) refuseRotation({ path: output, keep: rotation.keep, usedFiles });
  const fd = await openLogFile(output, usedFiles, signal);
  if (rotation !== undefined) return new RotatedFile(fd, output, rotation, options);
  if (!isPipe(fstatSync(fd))) return new AppendedFile(fd, output, options);
  const stream = new Socket({ fd, readable: false, writable: true });
  // The callback of `write` reports errors; without a listener, an error would end the process.
  stream.on('error', () => undefined);
  return new StreamDestination(stream, fd, output, noun);
}

/** Writes to a pipe or a socket, with backpressure: while the reader is slow, signal handlers can run. */
class StreamDestination extends Destination {
  override readonly mayRecover = false;
  readonly #stream: Writable;
  readonly #name: string;

  /** @param fd the descriptor of the stream @param name the name in messages: the path as given, or `<stdout>` */
  constructor(stream: Writable, fd: number, name: string, noun: string) {
    super(noun, fstatSync(fd));
    this.#stream = stream;
    this.#name = name;
  }

  override async write(packet: Packet): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(packet.bytes, (error) => {
        if (systemErrorCode(error) === 'EPIPE') reject(new ReaderGoneError('the reader went away', { cause: error }));
        else if (error) reject(explainSystemError(error, this.#name));
        else resolve();
      });
    });
    this.count(packet);
  }

  /** Standard output stays open until the process ends. */
  override close(error?: unknown): void {
    if (error === undefined && this.#name !== STDOUT_NAME) this.#stream.end();
  }
}
