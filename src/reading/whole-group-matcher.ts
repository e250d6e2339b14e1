import { copyBytes, isFieldText, LF } from '../log/byte-string.js';
import { parseTimestamp, parseUtcOffset, type Stamp, twoDigits } from '../log/timestamp.js';
import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type LogRequest } from '../log/group.js';
import { formatLoadFailure, TIMESTAMP_AT, TIMESTAMP_END, UTC_OFFSET_END, ZONE_AT } from '../log/record.js';
import { sessionIdIn, TAG_AT } from '../log/line.js';
import { constantsOf, type GroupConstants, type WholeGroup } from './whole-group.js';

const OPENING = 0x28;
const CLOSING = 0x29;
const LESS_THAN = 0x3c;

/** A session id is looked for in so many bytes; PHP's are shorter. */
const MAX_SESSION_BYTES = 64;

/** The range of a renderer: from here to there the clocks of every zone show a date from 1970 to 9999. */
const FIRST_SECOND = 2 * 86_400;
const LAST_SECOND = Date.UTC(9999, 11, 29) / 1000;

export const SAMPLE_STAMP: Stamp = { timestamp: '01-Jan-1970 00:00:00', utcOffset: '+0000' };

/** Finds groups as `GroupRenderer` writes them: renders that of the first record's stamp and descriptor, and compares. */
export class WholeGroupMatcher {
  readonly #renderer: GroupRenderer;
  readonly #constants: GroupConstants;
  readonly #descriptorAt: number;
  readonly #descriptors = new DescriptorReader();
  readonly #stamp = new StampReader();

  constructor(site: Deployment) {
    // A record without a stamp is read with that of its envelope.
    const deployment: Deployment = { ...site, driver: 'file' };
    this.#renderer = new GroupRenderer(deployment);
    const [plugin = ''] = deployment.plugins;
    this.#descriptorAt = formatLoadFailure(SAMPLE_STAMP, plugin, ' ', deployment).length - ' )'.length;
    this.#constants = constantsOf(deployment);
  }

  /** The group that stands whole at an index of a block; the length of one that the end of the bytes cuts. */
  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined {
    // A runtime tag may look like a session id.
    const isPlain = bytes[at + TAG_AT] !== LESS_THAN || bytes[at + this.#descriptorAt - 1] === OPENING;
    const sessionId = isPlain ? undefined : sessionIdIn(bytes.toString('latin1', at, at + TAG_AT + MAX_SESSION_BYTES));
    const sessionBytes = sessionId === undefined ? 0 : `<${sessionId}> `.length;
    const descriptorAt = at + this.#descriptorAt + sessionBytes;
    if (bytes[descriptorAt - 1] !== OPENING) return undefined;
    const descriptor = this.#descriptors.read(bytes, descriptorAt);
    if (descriptor === undefined) return undefined;
    const { method, target } = descriptor;
    this.#stamp.read(bytes, at);
    const { timestamp, utcOffset, localSecond, second } = this.#stamp;
    if (!(second >= FIRST_SECOND && second <= LAST_SECOND)) return undefined;
    const millisecond = second * 1000;
    const rendered = this.#renderer.render({ millisecond, method, target }, sessionId);
    const byteLength = rendered.length;
    const length = Math.min(byteLength, bytes.length - at);
    if (bytes.compare(rendered, 0, length, at, at + length) !== 0) return undefined;
    if (length < byteLength) return byteLength;
    const constants = this.#constants;
    const group = { line, millisecond, method, target, timestamp, utcOffset, localSecond, second, byteLength, constants };
    // A spread takes V8 several times as long, and most logs have no session ids.
    return sessionId === undefined ? group : { sessionId, ...group };
  }
}

type Descriptor = Pick<LogRequest, 'method' | 'target'>;

const SLOTS = 4096;
const MAX_CACHED_BYTES = 256;

/** Reads the descriptors of load failures (2.1) through a direct-mapped cache, without making strings: most logs repeat a few. */
class DescriptorReader {
  readonly #cached = new Array<(Descriptor & { readonly bytes: Uint8Array }) | undefined>(SLOTS).fill(undefined);

  read(block: Buffer, at: number): Descriptor | undefined {
    const limit = at + MAX_CACHED_BYTES;
    let hash = 0;
    let end = at;
    for (let byte = block[end]; byte !== undefined && byte !== LF && end < limit; byte = block[end]) {
      hash = (Math.imul(hash, 31) + byte) | 0;
      end += 1;
    }
    if (block[end] !== LF) return readDescriptor(block, at, block.indexOf(LF, end));
    const slot = hash & (SLOTS - 1);
    const cached = this.#cached[slot];
    if (cached !== undefined && standsAt(cached.bytes, block, at, end)) return cached;
    const descriptor = readDescriptor(block, at, end);
    // A copy: a view of the block would keep all of it in memory.
    if (descriptor !== undefined && cached === undefined)
      this.#cached[slot] = { ...descriptor, bytes: Uint8Array.prototype.slice.call(block, at, end) };
    return descriptor;
  }
}

function standsAt(bytes: Uint8Array, block: Buffer, at: number, end: number): boolean {
  if (bytes.length !== end - at) return false;
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] !== block[at + index]) return false;
  return true;
}

function readDescriptor(block: Buffer, at: number, end: number): Descriptor | undefined {
  if (block[end - 1] !== CLOSING) return undefined;
  const text = block.toString('latin1', at, end - 1);
  const space = text.indexOf(' ');
  const method = text.slice(0, Math.max(space, 0));
  const target = text.slice(space + 1);
  if (method === '' || target === '' || !isFieldText(method) || !isFieldText(target)) return undefined;
  return { method: copyBytes(method), target: copyBytes(target) };
}

const SECOND_AT = TIMESTAMP_END - 'SS'.length;

/** Reads the stamps of load failures (2.1). A stamp like the last one is not read again; in the same minute only the second is. */
class StampReader implements Stamp {
  timestamp = '';
  utcOffset = '';
  /** The second of the timestamp as if that were UTC, and the Unix second; NaN for bytes that are not a stamp. */
  localSecond = NaN;
  second = NaN;
  /** The first second of its minute, as `localSecond`, and the offset in seconds. */
  #localMinute = NaN;
  #offset = NaN;
  readonly #bytes = new Uint8Array(UTC_OFFSET_END);

  read(block: Buffer, at: number): void {
    const isSameMinute = this.#isSame(block, at, 0, SECOND_AT) && this.#isSame(block, at, TIMESTAMP_END, UTC_OFFSET_END);
    if (isSameMinute && this.#isSame(block, at, SECOND_AT, TIMESTAMP_END)) return;
    if (!isSameMinute) {
      this.#bytes.set(block.subarray(at, at + UTC_OFFSET_END));
      const text = block.toString('latin1', at, at + UTC_OFFSET_END);
      this.utcOffset = text.slice(ZONE_AT);
      this.#localMinute = parseTimestamp(`${text.slice(0, SECOND_AT)}00`, TIMESTAMP_AT);
      this.#offset = parseUtcOffset(text, ZONE_AT);
    }
    for (let index = SECOND_AT; index < TIMESTAMP_END; index += 1) this.#bytes[index] = block[at + index] ?? 0;
    this.timestamp = block.toString('latin1', at + TIMESTAMP_AT, at + TIMESTAMP_END);
    const seconds = twoDigits(this.timestamp, SECOND_AT - TIMESTAMP_AT);
    this.localSecond = seconds < 60 ? this.#localMinute + seconds : NaN;
    this.second = this.localSecond - this.#offset;
  }

  #isSame(block: Buffer, at: number, from: number, until: number): boolean {
    for (let index = from; index < until; index += 1) if (block[at + index] !== this.#bytes[index]) return false;
    return true;
  }
}
