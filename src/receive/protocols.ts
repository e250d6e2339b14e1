import type { Kinds } from '../wording.js';
import type { LineBuffer } from './lines.js';

/**
 * The protocols of `receive`. The first of which the pattern fits a path, which that of a proxy may precede, is that of a request. The
 * other columns are Markdown: the paths, a line, and the option of `compare` that finds the record in it, unless that depends on the client.
 */
export const PROTOCOLS = {
  elasticsearch: {
    meaning: 'Elasticsearch, OpenSearch',
    pattern: /\/_bulk$|\/[^/]+\/_(?:doc|create)(?:\/[^/]+)?$/,
    paths: '`/_bulk`, `/<index>/_bulk`, `/<index>/_doc`',
    line: 'the document, byte for byte as it came',
    comparedBy: '`--field message`, or where the collector puts the line',
  },
  loki: {
    meaning: 'Loki, JSON or Protobuf',
    pattern: /\/loki\/api\/v1\/push$/,
    paths: '`/loki/api/v1/push`',
    line: '`{"timestamp":"<ns>","labels":{…},"line":"…"}`, with `metadata` where the value has some',
    comparedBy: '`--field line`',
  },
  otlp: {
    meaning: 'OTLP/HTTP, JSON or Protobuf',
    pattern: /\/v1\/logs$/,
    paths: '`/v1/logs`',
    line: 'the log record, with the `resource` of its request',
    comparedBy: '`--field body.stringValue`',
  },
  splunk: {
    meaning: 'Splunk HEC',
    pattern: /\/services\/collector(?:\/(?:event|ack|health)(?:\/1\.0)?)?$/,
    paths: '`/services/collector`, `/services/collector/event`',
    line: 'the envelope',
    comparedBy: '`--field event`',
  },
  'splunk-text': {
    meaning: 'Splunk HEC, text',
    pattern: /\/services\/collector\/raw(?:\/1\.0)?$/,
    paths: '`/services/collector/raw`',
    line: '`{"message":"…"}` for each line',
    comparedBy: '`--field message`',
  },
  text: {
    meaning: 'text (`Content-Type: text/…`)',
    pattern: /^/,
    paths: 'any other',
    line: '`{"message":"…"}` for each line',
    comparedBy: '`--field message`',
  },
  json: {
    meaning: 'JSON',
    pattern: /^/,
    paths: 'any other',
    line: 'each object of an array, or of NDJSON',
    comparedBy: '',
  },
} as const satisfies Kinds & Record<string, { pattern: RegExp } & Record<'paths' | 'line' | 'comparedBy', string>>;

export interface Reply {
  readonly status: number;
  readonly type: string;
  /** Further headers: names and values in turn. */
  readonly headers?: readonly string[];
  /** A byte string, or parts of it in turn where there is much of it. */
  readonly body: string | Iterable<string>;
}

/** The parts of a request that decide how it is read and answered; headers that are missing are empty. */
export interface RequestHead {
  /** `GET` also for HEAD, `POST` also for PUT. */
  readonly method: string;
  /** As in the request line, without query and trailing slash. */
  readonly path: string;
  readonly query: string;
  /** The media type of the body, in lower case, without parameters. */
  readonly type: string;
  readonly accept: string;
  readonly encoding: string;
  readonly channel: string;
}

export interface Accepted {
  /** Makes the answer once the lines stand. */
  readonly answer: () => Reply;
  /** Has the answer say of an event, by its index, that it was refused; left out if the answer does not name each. */
  readonly refuse?: (event: number) => void;
}

export interface Protocol {
  /** Adds the events of a body of JSON or text as lines. @throws RefusedError for a body that is refused as a whole; BrokenJsonError */
  readonly read: (body: Buffer, lines: LineBuffer, head: RequestHead) => Accepted;
  /** Adds those of a body in Protobuf; left out if the backend takes none. The libraries are loaded once such a body comes. */
  readonly readProtobuf?: (body: Buffer, lines: LineBuffer, head: RequestHead) => Promise<Accepted>;
  /** Answers what clients ask beside events, as a healthy backend; undefined for other requests. @throws RefusedError, BrokenJsonError */
  readonly answer?: (head: RequestHead, body: Buffer) => Reply | undefined;
  /** The answer to a request that is refused, or fails: the backend's own form of an error. */
  readonly refuse: (status: number, message: string, head: RequestHead) => Reply;
}

/** An answer in JSON. @param value holds nothing of the request but ASCII */
export function replyJson(status: number, value: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
