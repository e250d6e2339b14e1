import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { LineBuffer } from './line-buffer.js';
import { RefusedError } from './bodies.js';

/** A kind of value: its wire type, and its JSON text. */
interface ScalarKind {
  readonly wire: WireType;
  readonly read: (reader: BinaryReader) => string;
}

/** The kinds of values but texts and messages, as the JSON form of OTLP writes them. */
const SCALARS = {
  bool: { wire: WireType.Varint, read: (reader) => String(reader.bool()) },
  int32: { wire: WireType.Varint, read: (reader) => String(reader.int32()) },
  uint32: { wire: WireType.Varint, read: (reader) => String(reader.uint32()) },
  int64: { wire: WireType.Varint, read: (reader) => `"${String(reader.int64())}"` },
  fixed32: { wire: WireType.Bit32, read: (reader) => String(reader.fixed32()) },
  fixed64: { wire: WireType.Bit64, read: (reader) => `"${String(reader.fixed64())}"` },
  double: { wire: WireType.Bit64, read: (reader) => formatDouble(reader.double()) },
  base64: { wire: WireType.LengthDelimited, read: (reader) => `"${bufferOf(reader.bytes()).toString('base64')}"` },
  hex: { wire: WireType.LengthDelimited, read: (reader) => `"${bufferOf(reader.bytes()).toString('hex')}"` },
} as const satisfies Readonly<Record<string, ScalarKind>>;

/** The JSON texts of the defaults of numbers and bytes: `bool` and `double` are of messages of which the default stands. */
const DEFAULTS: ReadonlySet<string> = new Set(['0', '"0"', '""']);

interface Field {
  readonly name: string;
  readonly is: keyof typeof SCALARS | 'text' | (() => Message);
  readonly isRepeated?: boolean;
}

export interface Message {
  readonly fields: Readonly<Record<number, Field>>;
  /** True if at most one field counts, the last one, with its default value too. */
  readonly isOneof?: boolean;
}

/** Deeper messages are refused, as other readers do. */
const MAX_DEPTH = 100;

/**
 * Writes the members of a message as canonical JSON: in the order of the field numbers, defaults left out, unknown fields passed over.
 * Values go from the body to the lines without a copy of the message: a body of 64 MiB may hold 30 million fields.
 *
 * @returns true if there are any
 * @throws an error of the library for broken Protobuf
 */
export function writeMembers(bytes: Uint8Array, message: Message, lines: LineBuffer, depth = 0): boolean {
  if (depth > MAX_DEPTH) throw new RefusedError(400, `Protobuf of more than ${String(MAX_DEPTH)} levels`);
  const { fields, isOneof = false } = message;
  const reader = new BinaryReader(bytes);
  const { lastOf, isInOrder } = survey(reader, message);
  let [opened, isFirst] = [0, true];
  // Encoders write fields in the order of their numbers. Otherwise there is a pass for each.
  for (const wanted of isInOrder ? [undefined] : Object.keys(fields).map(Number)) {
    reader.pos = 0;
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const [fieldNumber, wire] = reader.tag();
      const field = fields[fieldNumber];
      const isTaken = field?.isRepeated === true || lastOf.get(fieldNumber) === start;
      if (field === undefined || wire !== wireOf(field) || !isTaken || (wanted ?? fieldNumber) !== fieldNumber) {
        reader.skip(wire, fieldNumber);
        continue;
      }
      const { name, is, isRepeated = false } = field;
      const value = is === 'text' || typeof is === 'function' ? reader.bytes() : SCALARS[is].read(reader);
      const isDefault = typeof value === 'string' ? DEFAULTS.has(value) : is === 'text' && value.length === 0;
      if (isDefault && !isOneof && !isRepeated) continue;
      if (fieldNumber === opened) {
        lines.text(',');
      } else {
        lines.text(`${opened === 0 ? '' : ']'}${isFirst ? '' : ','}"${name}":${isRepeated ? '[' : ''}`);
        opened = isRepeated ? fieldNumber : 0;
        isFirst = false;
      }
      if (typeof value === 'string') {
        lines.text(value);
      } else if (typeof is === 'function') {
        lines.text('{');
        writeMembers(value, is(), lines, depth + 1);
        lines.text('}');
      } else {
        lines.text('"');
        lines.escaped(bufferOf(value));
        lines.text('"');
      }
    }
  }
  if (opened !== 0) lines.text(']');
  return !isFirst;
}

/** Finds the last place of each field that is not repeated: it counts. */
function survey(reader: BinaryReader, { fields, isOneof = false }: Message) {
  const lastOf = new Map<number, number>();
  let [isInOrder, before] = [true, 0];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [fieldNumber, wire] = reader.tag();
    const field = fields[fieldNumber];
    reader.skip(wire, fieldNumber);
    if (field === undefined || wire !== wireOf(field)) continue;
    if (isOneof) lastOf.clear();
    if (field.isRepeated !== true) lastOf.set(fieldNumber, start);
    if (fieldNumber < before) isInOrder = false;
    before = fieldNumber;
  }
  return { lastOf, isInOrder };
}

function wireOf({ is }: Field): WireType {
  return is === 'text' || typeof is === 'function' ? WireType.LengthDelimited : SCALARS[is].wire;
}

/** The values of a field of a message that are messages or texts, in order. */
export function* valuesIn(bytes: Uint8Array, wanted: number): Generator<Buffer> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [fieldNumber, wire] = reader.tag();
    if (fieldNumber === wanted && wire === WireType.LengthDelimited) yield bufferOf(reader.bytes());
    else reader.skip(wire, fieldNumber);
  }
}

/** The last value of such a field, which counts; undefined if there is none. */
export function lastValueIn(bytes: Uint8Array, wanted: number): Buffer | undefined {
  let last: Buffer | undefined;
  for (const value of valuesIn(bytes, wanted)) last = value;
  return last;
}

/** The whole number in a field of a message; 0 if there is none. */
export function integerIn(bytes: Uint8Array, wanted: number): bigint {
  const reader = new BinaryReader(bytes);
  let integer = 0n;
  while (reader.pos < reader.len) {
    const [fieldNumber, wire] = reader.tag();
    if (fieldNumber === wanted && wire === WireType.Varint) integer = BigInt(reader.int64());
    else reader.skip(wire, fieldNumber);
  }
  return integer;
}

function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return `"${String(value)}"`;
  return Object.is(value, -0) ? '-0' : String(value);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
