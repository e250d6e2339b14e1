import type { Stats } from 'node:fs';

/** The state of a connection. */
export interface ConnectionState {
  /** False while a connection that was lost is made again: what is written then is lost. */
  readonly isOpen: boolean;
  /** The number of times that it was made again. */
  readonly reconnects: number;
}

/** A kind of destination: a pipe, a socket, or a file, a device or a terminal. It writes bytes, and knows nothing of pieces. */
export interface Sink {
  /** The status at the time of opening; undefined for a socket. */
  readonly stats: Stats | undefined;
  /** The connection of a socket. */
  readonly connection?: ConnectionState;
  readonly isTerminal: boolean;
  readonly packetBytes: number;
  readonly mayRecover: boolean;
  /** The number of bytes of the last write that were written; only after a failed write not all. */
  readonly taken: number;
  /** Writes bytes. @throws ReaderGoneError, or CallError if the system refuses the write */
  write(bytes: Uint8Array): Promise<void>;
  /** Cuts off the bytes written last. Only a regular file can. */
  takeBack?(bytes: Uint8Array): void;
  /** Finds the Unix second of the last load-failure record; undefined if there is none. Only a file that was named can. */
  findLastSecond?(): Promise<number | undefined>;
  /** Switches to the file that the path names now, once the current write is done. Only a file that was named can. */
  reopen?(): void;
  /**
   * Closes the output of a run that has ended.
   *
   * @param error the error of a failed run: nothing is thrown
   * @throws CallError if the file was removed, or a write failed late
   */
  close?(error?: unknown): void;
}
