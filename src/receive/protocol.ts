import type { LineBuffer } from './line-buffer.js';

/** An answer to a request. */
export interface Reply {
  readonly status: number;
  /** The media type of the body. */
  readonly type: string;
  /** Further headers: names and values in turn. */
  readonly headers?: readonly string[];
  /** A byte string, or parts of it in turn where there is much of it. */
  readonly body: string | Iterable<string>;
}

/** The parts of a request that decide how it is read and answered. */
export interface RequestHead {
  readonly method: string;
  /** As in the request line, without query and trailing slash. */
  readonly path: string;
  /** Without its `?`; empty if there is none. */
  readonly query: string;
  /** The media type of the body, in lower case, without parameters; empty if there is none. */
  readonly type: string;
  /** The header `Accept`; empty if there is none. */
  readonly accept: string;
  /** The header `Content-Encoding`; empty if there is none. */
  readonly encoding: string;
  /** The header `X-Splunk-Request-Channel`; empty if there is none. */
  readonly channel: string;
}

/** True for an event, by its index among those of a request, that was refused by itself. */
export type IsRefused = (event: number) => boolean;

/** The events of a request have been added as lines. */
export interface Accepted {
  /** Makes the answer once the lines stand. */
  readonly answer: (isRefused: IsRefused) => Reply;
  /** True if the answer names each event, so that some may be refused. */
  readonly namesEach?: boolean;
}

/** The way in which a backend takes events. */
export interface Protocol {
  /**
   * Adds the events of a body as lines.
   *
   * @throws RefusedError for a body that is refused as a whole; BrokenJsonError
   */
  readonly read: (body: Buffer, lines: LineBuffer, head: RequestHead) => Accepted | Promise<Accepted>;
  /** The encoding of bodies that come without the header `Content-Encoding`. */
  readonly encodingOf?: (head: RequestHead) => string;
  /** Answers what clients ask beside events, as a healthy backend; undefined for requests that it does not answer. */
  readonly answer?: (head: RequestHead, body: Buffer) => Reply | undefined;
  /** The answer to a request that is refused, or fails: the backend's own form of an error. */
  readonly refuse: (status: number, message: string, head: RequestHead) => Reply;
}

/** An answer in JSON. @param value holds nothing of the request but ASCII */
export function replyJson(status: number, value: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
