import { fstatSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { CallError, explainSystemError, ReaderGoneError, refuseUse, systemErrorCode } from '../errors.js';
import { isPipe } from '../input/input.js';
import { isAddress } from './address.js';
import { Destination, type Sink } from './destination.js';
import { FileSink } from './file-sink.js';
import { openLogFile, refuseUsed } from './log-file.js';
import { NamedFile, type FileOptions } from './named-file.js';
import { refuseRotation } from './rotation.js';
import { openSocketSink, type SocketSettings } from './socket-sink.js';

export type PathOrStream = string | (Writable & { readonly fd: number });

export interface SinkOptions extends FileOptions {
  /** Left out where an address is refused. */
  readonly socket?: SocketSettings | undefined;
}

const STDERR_FD = 2;

/**
 * Opens an output. @param options.copy takes everything first, and is not rotated
 * @throws CallError if a file cannot be opened, is a used one or cannot be rotated; if a socket cannot be reached
 */
export async function openDestination(
  output: PathOrStream,
  options: SinkOptions & { readonly copy?: PathOrStream | undefined },
): Promise<Destination> {
  const { noun, usedFiles } = options;
  if (options.copy === undefined) return new Destination(await openSink(output, options), noun);
  const copy = new Destination(await openSink(options.copy, { ...options, rotation: undefined, socket: undefined }), noun);
  const others = [...usedFiles, { stats: copy.stats, role: 'tee' } as const];
  return new Destination(await openSink(output, { ...options, usedFiles: others }), noun, copy);
}

async function openSink(output: PathOrStream, options: SinkOptions): Promise<Sink> {
  const { usedFiles, signal, rotation, socket } = options;
  if (typeof output === 'string' && isAddress(output)) {
    if (socket === undefined) throw new CallError({ source: output }, 'a socket cannot be written to here', 'name a file');
    if (rotation !== undefined) {
      const key = rotation.maxBytes === Infinity ? 'rotateEvery' : 'rotate';
      throw refuseUse(key, 'a socket cannot be rotated', 'leave it out, or name a file with -o');
    }
    return openSocketSink(output, { ...socket, signal });
  }
  if (socket?.framing !== undefined)
    throw refuseUse('framing', 'the output is not a socket', 'leave it out, or give -o tcp://host:port');
  if (typeof output !== 'string') {
    const { fd } = output;
    const stats = fstatSync(fd);
    const name = fd === STDERR_FD ? '<stderr>' : '<stdout>';
    refuseUsed(stats, usedFiles, name);
    // A standard stream stays open until the process ends.
    return isPipe(stats) ? pipeSink(output, stats, name) : new FileSink(fd, name);
  }
  if (rotation !== undefined) refuseRotation(output, rotation.keep, usedFiles);
  const fd = await openLogFile(output, usedFiles, signal);
  const stats = fstatSync(fd);
  if (!isPipe(stats)) return new NamedFile(fd, output, options);
  const stream = new Socket({ fd, readable: false, writable: true });
  // The callback of `write` reports errors; without a listener, an error would end the process.
  stream.on('error', () => undefined);
  const close = (error?: unknown): void => {
    if (error === undefined) stream.end();
  };
  return { ...pipeSink(stream, stats, output), close };
}

/** A pipe or a FIFO: while the reader is slow, signal handlers can run. */
function pipeSink(stream: Writable, stats: Stats, name: string): Sink {
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      stream.write(bytes, (error) => {
        if (systemErrorCode(error) === 'EPIPE') reject(new ReaderGoneError('the reader went away', { cause: error }));
        else if (error) reject(explainSystemError(error, name));
        else resolve();
      });
    });
  return { stats, write };
}
