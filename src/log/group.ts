import type { Deployment } from './deployment.js';
import { formatDeprecation, formatDescriptor, formatLoadFailure } from './record.js';
import { formatTimestamp, formatUtcOffset, stampAt, type Stamp } from './timestamp.js';
import { zoneNamed, type Zone } from './zone.js';

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

/** Requests (or what goes with them) in batches: as many as came at a time. An array of arrays will do. */
export type Batches<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>;

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

/** Marks for what changes from group to group; controls, which no field can hold. A stamp's marks are of its length. */
const STAMP_MARK: Stamp = { timestamp: '\x00'.repeat(20), utcOffset: '\x01'.repeat(5) };
const DESCRIPTOR_MARK = '\x02';

/** A group with marks in it, cut at the descriptors: the same for all requests of a deployment. */
interface Skeleton {
  /** The bytes between descriptors; one more than there are descriptors. */
  readonly pieces: readonly Buffer[];
  /** Where the stamps stand, and how many descriptors stand before each: with a longer descriptor they stand further on. */
  readonly timestamps: readonly MarkPlace[];
  readonly utcOffsets: readonly MarkPlace[];
  readonly descriptors: readonly MarkPlace[];
}

interface MarkPlace {
  readonly at: number;
  readonly descriptorsBefore: number;
}

/**
 * A group of which everything is in its place but the texts that change. Groups whose descriptors are of one length differ in
 * nothing else, so a template serves them all: what is not as the last group had it is written over.
 */
interface Template {
  readonly bytes: Buffer;
  readonly timestampsAt: readonly number[];
  readonly utcOffsetsAt: readonly number[];
  readonly descriptorsAt: readonly number[];
  /** Whose descriptor the bytes hold now. */
  method: string;
  target: string;
}

/** Templates are kept up to this many bytes in all; then all are let go, so that targets of ever new lengths stay in bounds. */
const MAX_TEMPLATE_BYTES = 4 << 20;

/**
 * Renders groups to bytes, the same bytes as `formatGroup` gives. What it does once and not per group: formats the deployment's
 * records (once), lays them out (once per length of a descriptor), and formats a stamp (once per minute; within it only the
 * seconds change).
 */
export class GroupRenderer {
  readonly #zone: Zone;
  readonly #skeleton: Skeleton;
  /** By the descriptor's length. */
  readonly #templates = new Map<number, Template>();
  #templateBytes = 0;
  #second = NaN;
  /** The local minute that the stamp shows, and its offset in seconds. */
  #minute = NaN;
  #offset = NaN;
  readonly #timestamp = Buffer.alloc(STAMP_MARK.timestamp.length);
  readonly #utcOffset = Buffer.alloc(STAMP_MARK.utcOffset.length);

  constructor(deployment: Deployment) {
    this.#zone = zoneNamed(deployment.timezone);
    this.#skeleton = cutSkeleton(formatRecords(STAMP_MARK, DESCRIPTOR_MARK, deployment));
  }

  /**
   * The bytes of a request's group. They are good until the next call: copy what is to stay.
   *
   * @throws RangeError where `formatGroup` would
   */
  render({ millisecond, method, target }: LogRequest): Uint8Array {
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#setStamp(second);
    const length = method.length + target.length;
    const template = this.#templates.get(length) ?? this.#addTemplate(length, method, target);
    if (template.target !== target || template.method !== method) setDescriptor(template, method, target);
    patch(template.bytes, template.timestampsAt, this.#timestamp);
    patch(template.bytes, template.utcOffsetsAt, this.#utcOffset);
    return template.bytes;
  }

  /** A second in the local minute of the one before differs in its last two digits alone: to format each took 0.6 µs more. */
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

  #addTemplate(length: number, method: string, target: string): Template {
    const template = { ...fillSkeleton(this.#skeleton, formatDescriptor(method, target)), method, target };
    if (this.#templateBytes + template.bytes.length > MAX_TEMPLATE_BYTES) {
      this.#templates.clear();
      this.#templateBytes = 0;
    }
    this.#templateBytes += template.bytes.length;
    this.#templates.set(length, template);
    return template;
  }
}

/** Writes another descriptor, of the same length, into a template. */
function setDescriptor(template: Template, method: string, target: string): void {
  const { bytes, descriptorsAt } = template;
  const descriptor = formatDescriptor(method, target);
  for (let index = 0; index < descriptor.length; index += 1) {
    const byte = descriptor.charCodeAt(index);
    for (const place of descriptorsAt) bytes[place + index] = byte;
  }
  template.method = method;
  template.target = target;
}

const ZERO = 0x30;

/** Writes a text in all its places, where it stands in the same version so far. */
function patch(bytes: Uint8Array, places: readonly number[], text: Uint8Array): void {
  const [first = 0] = places;
  let from = 0;
  while (from < text.length && bytes[first + from] === text[from]) from += 1;
  if (from === text.length) return;
  for (const place of places) {
    for (let index = from; index < text.length; index += 1) bytes[place + index] = text[index] ?? 0;
  }
}

function cutSkeleton(group: string): Skeleton {
  return {
    pieces: group.split(DESCRIPTOR_MARK).map((piece) => Buffer.from(piece, 'latin1')),
    timestamps: findMarks(group, STAMP_MARK.timestamp),
    utcOffsets: findMarks(group, STAMP_MARK.utcOffset),
    descriptors: findMarks(group, DESCRIPTOR_MARK),
  };
}

function findMarks(group: string, mark: string): MarkPlace[] {
  const places: MarkPlace[] = [];
  for (let at = group.indexOf(mark); at !== -1; at = group.indexOf(mark, at + mark.length)) {
    places.push({ at, descriptorsBefore: group.slice(0, at).split(DESCRIPTOR_MARK).length - 1 });
  }
  return places;
}

function fillSkeleton(
  { pieces, timestamps, utcOffsets, descriptors }: Skeleton,
  descriptor: string,
): Omit<Template, 'method' | 'target'> {
  const text = Buffer.from(descriptor, 'latin1');
  const bytes = Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [text, piece])));
  const growth = descriptor.length - DESCRIPTOR_MARK.length;
  const place = ({ at, descriptorsBefore }: MarkPlace): number => at + descriptorsBefore * growth;
  return {
    bytes,
    timestampsAt: timestamps.map(place),
    utcOffsetsAt: utcOffsets.map(place),
    descriptorsAt: descriptors.map(place),
  };
}
