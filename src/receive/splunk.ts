import { JsonBytes } from '../log/json-bytes.js';
import type { LineBuffer } from './lines.js';
import { RefusedError } from './bodies.js';
import { PROTOCOLS, replyJson, type Protocol, type Reply, type RequestHead } from './protocols.js';

const BELOW = /\/services\/collector(?:\/|$)/;
const HEALTH = /\/services\/collector\/health(?:\/1\.0)?$/;
const ACKNOWLEDGED = /\/services\/collector\/ack(?:\/1\.0)?$/;

const NO_DATA = 'No data';
const NO_CHANNEL = 'Data channel is missing';
const NO_EVENT = 'Event field is required';

/** Codes of the HTTP event collector by its text or by status; INVALID_DATA for any other. */
const CODES: Readonly<Record<string, number>> = { [NO_DATA]: 5, [NO_CHANNEL]: 10, [NO_EVENT]: 12, 429: 9, 500: 8, 503: 9 };
const INVALID_DATA = 6;

/** Channels, and acknowledgements of each that no client has asked for, that are remembered at most. */
const MAX_CHANNELS = 1000;
const MAX_GIVEN = 10_000;

interface Channel {
  next: number;
  /** The numbers that were given and not asked for since. */
  readonly given: Set<number>;
}

/** Splunk's HTTP event collector, which remembers what it has acknowledged. */
export function createSplunk(): Protocol {
  const channels = new Map<string, Channel>();
  const acknowledge = (name: string): number => {
    const channel = channels.get(name) ?? { next: 0, given: new Set() };
    const [oldest = ''] = channels.keys();
    if (!channels.has(name) && channels.size >= MAX_CHANNELS) channels.delete(oldest);
    channels.set(name, channel);
    channel.given.delete(channel.next - MAX_GIVEN);
    channel.given.add(channel.next);
    return channel.next++;
  };
  return {
    read: (body, lines, head) => {
      if (PROTOCOLS['splunk-text'].pattern.test(head.path)) lines.addText(body);
      else readEvents(body, lines);
      if (lines.count === 0) throw new RefusedError(400, NO_DATA);
      const name = channelIn(head);
      return { answer: () => replyJson(200, { text: 'Success', code: 0, ...(name === '' ? {} : { ackId: acknowledge(name) }) }) };
    },
    answer: (head, body) => {
      const { method, path } = head;
      if (method === 'OPTIONS' && BELOW.test(path)) return replyJson(200, {});
      if (method === 'GET' && HEALTH.test(path)) return replyJson(200, { text: 'HEC is healthy', code: 17 });
      return method === 'POST' && ACKNOWLEDGED.test(path) ? answerAcknowledged(body, channelIn(head), channels) : undefined;
    },
    refuse: (status, message) => replyJson(status, { text: message, code: CODES[message] ?? CODES[status] ?? INVALID_DATA }),
  };
}

/** The channel of a request, by header or query; empty if there is none. */
function channelIn({ channel, query }: RequestHead): string {
  return channel === '' ? (new URLSearchParams(query).get('channel') ?? '') : channel;
}

/** `{"acks":[0,1]}`: `{"acks":{"0":true,"1":false}}`, true once for a number that was given. */
function answerAcknowledged(body: Buffer, name: string, channels: ReadonlyMap<string, Channel>): Reply {
  if (name === '') throw new RefusedError(400, NO_CHANNEL);
  const json = new JsonBytes(body);
  const asked = json.member(json.onlyObject().start, 'acks');
  if (asked === undefined) throw new RefusedError(400, 'the body has no "acks"');
  const texts = new Set(Array.from(json.elements(asked.start), (element) => json.textOf(element)));
  const given = channels.get(name)?.given;
  const isGiven = (text: string): boolean => /^\d+$/.test(text) && given?.delete(Number(text)) === true;
  return replyJson(200, { acks: Object.fromEntries(Array.from(texts, (text) => [text, isGiven(text)])) });
}

/** Objects with a member `event`, one behind the other: a line each. */
function readEvents(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  for (const event of json.values()) {
    if (json.member(event.start, 'event') === undefined) throw new RefusedError(400, NO_EVENT);
    lines.add(event);
  }
}
