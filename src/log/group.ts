import type { Deployment } from './deployment.js';
import { formatDeprecation, formatDescriptor, formatLoadFailure } from './record.js';
import { stampAt, type Stamp } from './timestamp.js';

/** One request as the log shows it. */
export interface LogRequest {
  /** When it was handled: Unix time in whole milliseconds. Records show its second. */
  readonly millisecond: number;
  /** `<http_method>` (2.1). */
  readonly method: string;
  /** `<request_target>` (2.4), a byte string: each character stands for one byte. `encodeText` makes one of any text. */
  readonly target: string;
  /** The physical line (from 1) of the list that it stood on, if it came from one. */
  readonly line?: number;
}

/**
 * The group of a request (1.1, 6): a load failure per plugin in reporting order, then the deprecation record. A byte string;
 * every record ends in LF, the last one too.
 *
 * @throws RangeError on a method or target that could forge a record, and on a time that a record cannot show
 */
export function formatGroup(request: LogRequest, deployment: Deployment): string {
  const stamp = stampAt(Math.floor(request.millisecond / 1000), deployment);
  return formatRecords(stamp, formatDescriptor(request.method, request.target), deployment);
}

function formatRecords(stamp: Stamp, descriptor: string, deployment: Deployment): string {
  const failures = deployment.plugins.map((plugin) => formatLoadFailure(stamp, plugin, descriptor, deployment));
  return [...failures, formatDeprecation(stamp, deployment)].map((record) => `${record}\n`).join('');
}

/** Marks for what changes from group to group, of its length; controls, which no field can hold. */
const STAMP_MARK: Stamp = { timestamp: '\x00'.repeat(20), utcOffset: '\x01'.repeat(5) };
const DESCRIPTOR_MARK = '\x02';

/** The groups of one descriptor differ in their stamps only: its bytes, and where the stamps stand in them. */
interface Template {
  readonly bytes: Buffer;
  readonly timestampsAt: readonly number[];
  readonly utcOffsetsAt: readonly number[];
  /** The Unix second whose stamp the bytes hold now. */
  second: number;
}

/** Templates are kept up to this many bytes in all; then all are let go, so that a list whose targets never repeat stays in bounds. */
const MAX_TEMPLATE_BYTES = 4 << 20;

/**
 * Renders groups to bytes, the same bytes as `formatGroup` gives, but fast: it formats a descriptor once and a second once,
 * and patches the one into the other.
 */
export class GroupRenderer {
  readonly #deployment: Deployment;
  readonly #skeleton: string;
  readonly #templates = new Map<string, Template>();
  #templateBytes = 0;
  #second = NaN;
  #timestamp = Buffer.alloc(0);
  #utcOffset = Buffer.alloc(0);

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
    this.#skeleton = formatRecords(STAMP_MARK, DESCRIPTOR_MARK, deployment);
  }

  /**
   * The bytes of a request's group. They are good until the next call: copy what is to stay.
   *
   * @throws RangeError where `formatGroup` would
   */
  render(request: LogRequest): Uint8Array {
    const second = Math.floor(request.millisecond / 1000);
    const template = this.#templateOf(request);
    if (template.second !== second) this.#stamp(template, second);
    return template.bytes;
  }

  #templateOf({ method, target }: LogRequest): Template {
    const key = `${method} ${target}`;
    const known = this.#templates.get(key);
    if (known !== undefined) return known;
    const descriptor = formatDescriptor(method, target);
    const bytes = Buffer.from(
      this.#skeleton.replaceAll(DESCRIPTOR_MARK, () => descriptor),
      'latin1',
    );
    const template = {
      bytes,
      timestampsAt: findAll(bytes, STAMP_MARK.timestamp),
      utcOffsetsAt: findAll(bytes, STAMP_MARK.utcOffset),
      second: NaN,
    };
    if (this.#templateBytes + bytes.length > MAX_TEMPLATE_BYTES) {
      this.#templates.clear();
      this.#templateBytes = 0;
    }
    this.#templates.set(key, template);
    this.#templateBytes += bytes.length;
    return template;
  }

  #stamp(template: Template, second: number): void {
    if (this.#second !== second) {
      const stamp = stampAt(second, this.#deployment);
      this.#timestamp = Buffer.from(stamp.timestamp, 'latin1');
      this.#utcOffset = Buffer.from(stamp.utcOffset, 'latin1');
      this.#second = second;
    }
    for (const at of template.timestampsAt) template.bytes.set(this.#timestamp, at);
    for (const at of template.utcOffsetsAt) template.bytes.set(this.#utcOffset, at);
    template.second = second;
  }
}

function findAll(bytes: Buffer, mark: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) places.push(at);
  return places;
}
