import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MIB, RefusedError } from './bodies.js';

/** A kind of value: its wire type, the value as OTLP's JSON has it, and the default, which is left out. A text is a byte string. */
interface Kind {
  readonly wire: WireType;
  readonly read: (reader: BinaryReader) => string | number | boolean;
  readonly otherwise: string | number | undefined;
}

const KINDS = {
  bool: { wire: WireType.Varint, read: (reader) => reader.bool(), otherwise: undefined },
  int32: { wire: WireType.Varint, read: (reader) => reader.int32(), otherwise: 0 },
  uint32: { wire: WireType.Varint, read: (reader) => reader.uint32(), otherwise: 0 },
  int64: { wire: WireType.Varint, read: (reader) => String(reader.int64()), otherwise: '0' },
  fixed32: { wire: WireType.Bit32, read: (reader) => reader.fixed32(), otherwise: 0 },
  fixed64: { wire: WireType.Bit64, read: (reader) => String(reader.fixed64()), otherwise: '0' },
  double: { wire: WireType.Bit64, read: readDouble, otherwise: undefined },
  text: { wire: WireType.LengthDelimited, read: (reader) => bytesIn(reader).toString('latin1'), otherwise: '' },
  base64: { wire: WireType.LengthDelimited, read: (reader) => bytesIn(reader).toString('base64'), otherwise: '' },
  hex: { wire: WireType.LengthDelimited, read: (reader) => bytesIn(reader).toString('hex'), otherwise: '' },
} as const satisfies Readonly<Record<string, Kind>>;

type Field = readonly [name: string, is: keyof typeof KINDS | (() => Message), label?: 'repeated' | 'oneof'];

/** Fields by their numbers. Of those that are `oneof` the last one counts, with its default value too. */
export type Message = Readonly<Record<number, Field>>;

/** Deeper messages are refused, as other readers do. */
const MAX_DEPTH = 100;

/** The most that the values of a message take in memory: `compare` reads no longer line. */
const MAX_MESSAGE_BYTES = 16 * MIB;
const VALUE_BYTES = 64;

/**
 * Reads a message as its canonical JSON has it: fields in the order of their numbers, defaults left out, unknown fields passed over. Of a
 * field that is not repeated the last value counts.
 * @throws RefusedError for one that is too large or too deep; an error of the library for broken Protobuf
 */
export function readMessage(bytes: Uint8Array, message: Message, room = { bytes: MAX_MESSAGE_BYTES }, depth = 0): object {
  if (depth > MAX_DEPTH) throw new RefusedError(400, `Protobuf of more than ${String(MAX_DEPTH)} levels`);
  const members: (readonly [name: string, value: unknown] | undefined)[] = [];
  for (const { fieldNumber, wire, reader } of fieldsIn(bytes)) {
    const [name, is, label] = message[fieldNumber] ?? [];
    if (name === undefined || is === undefined) continue;
    const kind = typeof is === 'function' ? undefined : KINDS[is];
    if (wire !== (kind?.wire ?? WireType.LengthDelimited)) continue;
    const value = typeof is === 'function' ? readMessage(reader.bytes(), is(), room, depth + 1) : KINDS[is].read(reader);
    room.bytes -= VALUE_BYTES + (typeof value === 'string' ? value.length : 0);
    if (room.bytes < 0) throw new RefusedError(413, `an event of more than ${String(MAX_MESSAGE_BYTES / MIB)} MiB`);
    if (label === 'oneof') members.length = 0;
    const list = members[fieldNumber]?.[1];
    if (Array.isArray(list)) list.push(value);
    else if (label === 'repeated') members[fieldNumber] = [name, [value]];
    else members[fieldNumber] = label === undefined && value === kind?.otherwise ? undefined : [name, value];
  }
  return Object.fromEntries(members.filter((member) => member !== undefined));
}

export function* valuesIn(bytes: Uint8Array, wanted: number): Generator<Buffer> {
  for (const { fieldNumber, wire, reader } of fieldsIn(bytes))
    if (fieldNumber === wanted && wire === WireType.LengthDelimited) yield bytesIn(reader);
}

/** The last value of such a field, which counts; undefined if there is none. */
export function lastValueIn(bytes: Uint8Array, wanted: number): Buffer | undefined {
  let last: Buffer | undefined;
  for (const value of valuesIn(bytes, wanted)) last = value;
  return last;
}

/** The whole number in a field of a message; 0 if there is none. */
export function integerIn(bytes: Uint8Array, wanted: number): bigint {
  let integer = 0n;
  for (const { fieldNumber, wire, reader } of fieldsIn(bytes))
    if (fieldNumber === wanted && wire === WireType.Varint) integer = BigInt(reader.int64());
  return integer;
}

/** The fields of a message, with the reader at the value of each. A value that is not read is passed over. */
function* fieldsIn(bytes: Uint8Array) {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [fieldNumber, wire] = reader.tag();
    const start = reader.pos;
    yield { fieldNumber, wire, reader };
    if (reader.pos === start) reader.skip(wire, fieldNumber);
  }
}

/** JSON has no numbers that are not finite. */
function readDouble(reader: BinaryReader): string | number {
  const value = reader.double();
  return Number.isFinite(value) ? value : String(value);
}

function bytesIn(reader: BinaryReader): Buffer {
  const { buffer, byteOffset, length } = reader.bytes();
  return Buffer.from(buffer, byteOffset, length);
}
