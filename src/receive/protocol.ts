import type { LineBuffer } from './line-buffer.js';

/** An answer to a request. */
export interface Reply {
  readonly status: number;
  /** The media type of the body. */
  readonly type: string;
  /** Further headers: names and values in turn. */
  readonly headers?: readonly string[];
  /** ASCII, or parts of it in turn where there is much of it. */
  readonly body: string | Iterable<string>;
}

/** The parts of a request that decide how it is read and answered. */
export interface RequestHead {
  /** As in the request line, without query and trailing slash. */
  readonly path: string;
  /** Without its `?`; empty if there is none. */
  readonly query: string;
  /** The media type of the body, in lower case, without parameters; empty if there is none. */
  readonly type: string;
  /** The header `Accept`; empty if there is none. */
  readonly accept: string;
}

/** The way in which a backend takes events. */
export interface Protocol {
  /** The paths of the backend; that of a proxy may come before. */
  readonly paths: RegExp;
  /**
   * Adds the events of a body as lines.
   *
   * @returns the answer once the lines stand
   * @throws RefusedError for a body that is refused as a whole
   */
  readonly read: (body: Buffer, lines: LineBuffer, head: RequestHead) => Reply;
  /** Answers a GET or HEAD as a healthy backend; undefined for paths that it does not answer. */
  readonly answerHealth?: (head: RequestHead) => Reply | undefined;
  /** The answer to a request that is refused, or fails: the backend's own form of an error. */
  readonly refuse: (status: number, message: string, head: RequestHead) => Reply;
}

/** An answer in JSON. @param value holds nothing of the request but ASCII */
export function replyJson(status: number, value: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
