import { requireDeployment, type Deployment } from './deployment.js';
import { deprecationFields, joinDeprecation, joinLoadFailure, loadFailureFields, requireFields, requireTexts } from './record.js';
import { TemplateCache } from './template-cache.js';
import { formatTimestamp, formatUtcOffset, stampAt, type Stamp } from './timestamp.js';
import { zoneNamed, type Zone } from './zone.js';

/** A request to log. */
export interface LogRequest {
  /** The time of the request: Unix time in whole milliseconds. Records show its second. */
  readonly millisecond: number;
  /** `<http_method>` (2.1). */
  readonly method: string;
  /** `<request_target>` (2.4), a byte string: each character stands for one byte. `encodeText` converts any text. */
  readonly target: string;
  /** The physical line (from 1) in the list that the request comes from, if any. */
  readonly line?: number;
  /** The file of that line, where the list is several files. */
  readonly source?: string;
}

/** Requests (or other values) in the batches in which they arrived; an array of arrays, for example. */
export type Batches<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>;

/**
 * Formats the group of a request (1.1, 6): a load failure for each plugin in reporting order, then the deprecation record
 * unless the deployment has none. The group is a byte string; every record ends in LF.
 *
 * @throws RangeError on a method or target that could forge a record, and on a time that a record cannot show
 * @throws TypeError that names a missing or mistyped field of the request; DeploymentError for a field of the deployment
 */
export function formatGroup(request: LogRequest, deployment: Deployment): string {
  requireRequest(request);
  requireDeployment(deployment);
  const { millisecond, method, target } = request;
  requireFields(method, target);
  return formatRecords(stampAt(Math.floor(millisecond / 1000), deployment), method, target, deployment);
}

/** Refuses an object that is not a request: callers without types may pass anything. @throws TypeError that names the field */
function requireRequest({ millisecond, method, target }: LogRequest): void {
  if (typeof millisecond !== 'number') throw new TypeError('millisecond is not a number; give Unix time in milliseconds');
  requireTexts(method, target);
}

/** The number of records of a group. */
export function recordCountOf({ plugins, deprecation }: Pick<Deployment, 'plugins' | 'deprecation'>): number {
  return plugins.length + (deprecation ? 1 : 0);
}

function formatRecords(stamp: Stamp, httpMethod: string, requestTarget: string, deployment: Deployment, sessionId = ''): string {
  const { timestamp, utcOffset } = stamp;
  const ofRequest = { timestamp, utcOffset, httpMethod, requestTarget, ...(sessionId !== '' && { sessionId }) };
  const records = deployment.plugins.map((plugin) => joinLoadFailure({ ...loadFailureFields(deployment, plugin), ...ofRequest }));
  if (deployment.deprecation) records.push(joinDeprecation({ timestamp, ...deprecationFields(deployment) }));
  return records.map((record) => `${record}\n`).join('');
}

/**
 * Placeholders for the texts that differ between groups: control characters, which no field contains. They have the lengths of the texts;
 * that of a descriptor is repeated.
 */
const STAMP_PLACEHOLDER: Stamp = { timestamp: '\x00'.repeat(20), utcOffset: '\x01'.repeat(5) };
const DESCRIPTOR_PLACEHOLDER = '\x02';
const SESSION_PLACEHOLDER = '\x03';

/** More than the length of any descriptor. */
const DESCRIPTOR_LENGTHS = 1 << 22;

/**
 * The bytes of the last group whose descriptor had a given length. Groups with descriptors of that length differ only in stamps and
 * descriptors, at the same offsets: the next group is made by patching these.
 */
interface Template {
  readonly bytes: Buffer;
  /** The offsets of each value in `bytes`. */
  readonly timestampsAt: readonly number[];
  readonly utcOffsetsAt: readonly number[];
  readonly descriptorsAt: readonly number[];
  readonly sessionsAt: readonly number[];
  /** The session id, the method and the target that `bytes` shows now; undefined for a placeholder. */
  sessionId: string | undefined;
  method: string | undefined;
  target: string | undefined;
}

/**
 * Renders groups to the same bytes as `formatGroup`, but faster: a template for each length of a descriptor is patched, and stamps are
 * formatted once a minute.
 */
export class GroupRenderer {
  readonly #zone: Zone;
  readonly #deployment: Deployment;
  /** Templates by the lengths of their descriptors and session ids. */
  readonly #templates = new TemplateCache<Template>();
  #second = NaN;
  /** The local minute that the stamp shows, and its UTC offset in seconds. */
  #minute = NaN;
  #offset = NaN;
  readonly #timestamp = Buffer.alloc(STAMP_PLACEHOLDER.timestamp.length);
  readonly #utcOffset = Buffer.alloc(STAMP_PLACEHOLDER.utcOffset.length);

  /** @throws DeploymentError where `formatGroup` would */
  constructor(deployment: Deployment) {
    requireDeployment(deployment);
    this.#zone = zoneNamed(deployment.timezone);
    this.#deployment = deployment;
  }

  /**
   * Renders the group of a request.
   *
   * @param sessionId is shown by all load failures; empty for none
   * @returns bytes that are valid until the next call
   * @throws RangeError and TypeError where `formatGroup` would
   */
  render(request: LogRequest, sessionId = ''): Uint8Array {
    requireRequest(request);
    const { millisecond, method, target } = request;
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#setStamp(second);
    const length = method.length + target.length;
    const key = sessionId.length * DESCRIPTOR_LENGTHS + length;
    const template = this.#templates.get(key) ?? this.#addTemplate(key, length, SESSION_PLACEHOLDER.repeat(sessionId.length));
    if (template.sessionId !== sessionId) {
      setText(template.bytes, template.sessionsAt, 0, sessionId);
      template.sessionId = sessionId;
    }
    if (template.target !== target || template.method !== method) setDescriptor(template, method, target);
    setBytes(template.bytes, template.timestampsAt, this.#timestamp);
    setBytes(template.bytes, template.utcOffsetsAt, this.#utcOffset);
    return template.bytes;
  }

  /** Sets the stamp. Within a local minute, only the last two digits change; formatting every stamp would be too slow. */
  #setStamp(second: number): void {
    const offset = this.#zone.offsetAt(second);
    const minute = Math.floor((second + offset) / 60);
    if (minute === this.#minute && offset === this.#offset) {
      const secondOfMinute = second + offset - minute * 60;
      this.#timestamp[18] = ZERO + Math.floor(secondOfMinute / 10);
      this.#timestamp[19] = ZERO + (secondOfMinute % 10);
    } else {
      this.#timestamp.write(formatTimestamp(second, offset), 'latin1');
      this.#utcOffset.write(formatUtcOffset(offset), 'latin1');
      this.#minute = minute;
      this.#offset = offset;
    }
    this.#second = second;
  }

  /** Makes the template for descriptors of a method and a target of `length` bytes together. */
  #addTemplate(key: number, length: number, sessionId: string): Template {
    const target = DESCRIPTOR_PLACEHOLDER.repeat(length);
    const descriptor = ` ${target}`;
    const group = formatRecords(STAMP_PLACEHOLDER, '', target, this.#deployment, sessionId);
    const template: Template = {
      bytes: Buffer.from(group, 'latin1'),
      timestampsAt: offsetsOf(STAMP_PLACEHOLDER.timestamp, group),
      utcOffsetsAt: offsetsOf(STAMP_PLACEHOLDER.utcOffset, group),
      descriptorsAt: offsetsOf(descriptor, group),
      sessionsAt: sessionId === '' ? [] : offsetsOf(sessionId, group),
      sessionId: sessionId === '' ? '' : undefined,
      method: undefined,
      target: undefined,
    };
    return this.#templates.add(key, template, template.bytes.length);
  }
}

/** Replaces the descriptor of a template with another of the same length. @throws RangeError where `formatDescriptor` would */
function setDescriptor(template: Template, method: string, target: string): void {
  const { bytes, descriptorsAt } = template;
  requireFields(method, target);
  // The space between the two moves with the length of the method.
  if (method !== template.method) setText(bytes, descriptorsAt, 0, `${method} `);
  setText(bytes, descriptorsAt, method.length + 1, target);
  template.method = method;
  template.target = target;
}

const ZERO = 0x30;

/** Writes a text from `from` on behind each offset. */
function setText(bytes: Uint8Array, offsets: readonly number[], from: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) setByte(bytes, offsets, from + index, text.charCodeAt(index));
}

/** Writes bytes at each offset. */
function setBytes(bytes: Uint8Array, offsets: readonly number[], values: Uint8Array): void {
  for (let index = 0; index < values.length; index += 1) setByte(bytes, offsets, index, values[index] ?? 0);
}

/**
 * Writes a byte `index` bytes behind each offset, unless the byte is already there: most bytes of stamps and descriptors do not change.
 * The innermost loop of all writing: `for … of` is slower here.
 */
function setByte(bytes: Uint8Array, offsets: readonly number[], index: number, byte: number): void {
  if (bytes[(offsets[0] ?? 0) + index] === byte) return;
  const count = offsets.length;
  for (let slot = 0; slot < count; slot += 1) bytes[(offsets[slot] ?? 0) + index] = byte;
}

function offsetsOf(placeholder: string, group: string): number[] {
  const offsets: number[] = [];
  for (let at = group.indexOf(placeholder); at !== -1; at = group.indexOf(placeholder, at + placeholder.length)) offsets.push(at);
  return offsets;
}
