import { isFieldText } from '../log/byte-string.js';
import type { Deployment } from '../log/deployment.js';
import { formatGroup, GroupRenderer, type LogRequest } from '../log/group.js';
import { parseRecord, type LogRecord } from '../log/line.js';
import { parseTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';
import type { LoggedRequest } from './logged-request.js';

const LF = 0x0a;
const OPENING = 0x28;
const CLOSING = 0x29;

/** Where a load failure's timestamp and offset stand in it (2.1). */
const TIMESTAMP_AT = 1;
const UTC_OFFSET_AT = 22;
const STAMP_END = 27;

/** Where clocks of any zone show a year of four digits, not before 1970: what a renderer can be asked for. */
const FIRST_SECOND = 2 * 86_400;
const LAST_SECOND = Date.UTC(9999, 11, 29) / 1000;

/** The first so many descriptors are known, up to this length: most logs hold few of them, many times. */
const MAX_KNOWN = 4096;
const MAX_KNOWN_LENGTH = 1024;

type Descriptor = Pick<LogRequest, 'method' | 'target'>;

const SAMPLE: LogRequest = { millisecond: FIRST_SECOND * 1000, method: 'GET', target: '/' };

/** A group that stands whole in a block of bytes. */
export interface WholeGroup extends LoggedRequest {
  /** The timestamp as if it were UTC. */
  readonly localSecond: number;
  readonly second: number;
  readonly byteLength: number;
  /** Its records, each of them a line, but with the stamp and the descriptor of some other group of the deployment. */
  readonly records: readonly LogRecord[];
}

/**
 * Finds groups that stand in a log just as `GroupRenderer` writes them: reads stamp and descriptor of the first record, has the group
 * of that request rendered, and compares. That is some ten times as fast as reading it record by record, and gives the same.
 */
export class WholeGroups {
  readonly #renderer: GroupRenderer;
  readonly #records: readonly LogRecord[];
  /** Where the descriptor of the first record stands in it. */
  readonly #descriptorAt: number;
  readonly #descriptors = new Map<string, Descriptor>();
  /** The stamp that was read last: many groups have that of the one before. */
  #stampText = '';
  #stamp: Stamp = { timestamp: '', utcOffset: '' };
  #localSecond = NaN;
  #second = NaN;

  constructor(deployment: Deployment) {
    this.#renderer = new GroupRenderer(deployment);
    const [first = '', ...rest] = formatGroup(SAMPLE, deployment).trimEnd().split('\n');
    this.#descriptorAt = first.length - `${SAMPLE.method} ${SAMPLE.target})`.length;
    this.#records = [first, ...rest].flatMap((line) => parseRecord(line) ?? []);
  }

  /**
   * The group that begins at a place, the beginning of a line; undefined if none stands there whole.
   *
   * @param line the physical line of the place
   */
  match(bytes: Buffer, at: number, line: number): WholeGroup | undefined {
    const descriptorAt = at + this.#descriptorAt;
    if (bytes[descriptorAt - 1] !== OPENING) return undefined;
    const end = bytes.indexOf(LF, descriptorAt) - 1;
    if (bytes[end] !== CLOSING || !this.#readStamp(bytes, at)) return undefined;
    const descriptor = this.#readDescriptor(bytes.toString('latin1', descriptorAt, end));
    if (descriptor === undefined) return undefined;
    const { method, target } = descriptor;
    const { timestamp, utcOffset } = this.#stamp;
    const second = this.#second;
    const millisecond = second * 1000;
    const group = this.#renderer.render({ millisecond, method, target });
    const byteLength = group.length;
    if (at + byteLength > bytes.length || bytes.compare(group, 0, byteLength, at, at + byteLength) !== 0) return undefined;
    return {
      line,
      millisecond,
      method,
      target,
      timestamp,
      utcOffset,
      localSecond: this.#localSecond,
      second,
      byteLength,
      records: this.#records,
    };
  }

  /** Method and target, if the text is a descriptor that can be rendered. */
  #readDescriptor(text: string): Descriptor | undefined {
    const known = this.#descriptors.get(text);
    if (known !== undefined) return known;
    const space = text.indexOf(' ');
    const method = text.slice(0, Math.max(space, 0));
    const target = text.slice(space + 1);
    if (method === '' || target === '' || !isFieldText(method) || !isFieldText(target)) return undefined;
    const descriptor = { method, target };
    if (text.length <= MAX_KNOWN_LENGTH && this.#descriptors.size < MAX_KNOWN) this.#descriptors.set(text, descriptor);
    return descriptor;
  }

  /** Takes in the stamp of the record at a place; whether it is one that can be rendered. */
  #readStamp(bytes: Buffer, at: number): boolean {
    const text = bytes.toString('latin1', at, at + STAMP_END);
    if (text !== this.#stampText) {
      this.#stampText = text;
      this.#localSecond = parseTimestamp(text, TIMESTAMP_AT);
      this.#second = this.#localSecond - parseUtcOffset(text, UTC_OFFSET_AT);
      this.#stamp = { timestamp: text.slice(TIMESTAMP_AT, UTC_OFFSET_AT - 1), utcOffset: text.slice(UTC_OFFSET_AT) };
    }
    return this.#second >= FIRST_SECOND && this.#second <= LAST_SECOND;
  }
}
