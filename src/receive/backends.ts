import { JsonBytes } from '../log/json-bytes.js';
import { namesOf } from '../wording.js';
import { ELASTICSEARCH } from './elasticsearch.js';
import type { LineBuffer } from './lines.js';
import { LOKI } from './loki.js';
import { OTLP } from './otlp.js';
import { refuseBroken, RefusedError } from './bodies.js';
import { PROTOCOLS, replyJson, type Accepted, type Protocol, type Reply, type RequestHead } from './protocols.js';
import { createSplunk } from './splunk.js';

export class Backends {
  readonly #splunk = createSplunk();
  readonly #protocols: Readonly<Record<keyof typeof PROTOCOLS, Protocol>> = {
    elasticsearch: ELASTICSEARCH,
    loki: LOKI,
    otlp: OTLP,
    splunk: this.#splunk,
    'splunk-text': this.#splunk,
    text: PLAIN,
    json: PLAIN,
  };

  /** The protocol of requests to a path. Text and JSON are told apart by the body. */
  protocolOf(path: string): Protocol {
    const name = namesOf(PROTOCOLS).find((protocol) => PROTOCOLS[protocol].pattern.test(path)) ?? 'json';
    return this.#protocols[name];
  }

  /** Answers what clients ask beside events; undefined for requests that no backend answers. @throws RefusedError, BrokenJsonError */
  answer(head: RequestHead, body: Buffer): Reply | undefined {
    for (const protocol of Object.values(this.#protocols)) {
      const reply = protocol.answer?.(head, body);
      if (reply !== undefined) return reply;
    }
    return undefined;
  }
}

/** Media types of bodies that are neither text nor JSON: they would be stored as broken text. */
const BINARY = /msgpack|cbor|octet-stream|protobuf/;

/** Adds the events of a body as lines. @throws RefusedError, BrokenJsonError */
export async function readEvents(protocol: Protocol, body: Buffer, lines: LineBuffer, head: RequestHead): Promise<Accepted> {
  if (protocol.readProtobuf !== undefined && head.type.includes('protobuf')) {
    return protocol.readProtobuf(body, lines, head).catch((error: unknown) => {
      throw refuseBroken(error, 'Protobuf');
    });
  }
  const [name] = BINARY.exec(head.type) ?? [];
  if (name === undefined) return protocol.read(body, lines, head);
  throw new RefusedError(415, `${name} is not supported here; have the client send JSON (Fluent Bit: Format json)`);
}

const PLAIN: Protocol = {
  read: (body, lines, { type }) => {
    if (isJson(type, body)) readObjects(body, lines);
    else lines.addText(body);
    return { answer: () => replyJson(200, {}) };
  },
  refuse: (status, message) => replyJson(status, { status, error: message }),
};

const JSON_TYPE = /[/+](?:x-)?(?:json|ndjson|jsonlines|jsonl|json-lines|json-seq)$/;

/** The beginning of an object, or of an array that is empty or holds objects. A record of a log begins with a bracket too. */
const JSON_BEGINNING = /^[ \t\r\n]*(?:\{|\[[ \t\r\n]*[{\]])/;
const BEGINNING_BYTES = 1024;

/** Media types say which it is; where there is none, or one that clients give for anything (`curl -d`), the first bytes do. */
function isJson(type: string, body: Buffer): boolean {
  return JSON_TYPE.test(type) || (!type.startsWith('text/') && JSON_BEGINNING.test(body.toString('latin1', 0, BEGINNING_BYTES)));
}

/** Objects, and arrays of objects, with nothing but white space between them: a line an object. */
function readObjects(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  for (const value of json.values()) {
    for (const object of json.isAt(value.start, '[') ? json.elements(value.start) : [value]) {
      if (!json.isAt(object.start, '{'))
        throw new RefusedError(400, `a value that is not an object at byte ${String(object.start + 1)}`);
      lines.add(object);
    }
  }
}
