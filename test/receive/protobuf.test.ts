import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Backends } from '../../src/receive/backends.js';
import { handle, HEAD } from '../support/backends.js';

/** Reads a body. @returns the lines, a byte string; or the refusal */
async function read(path: string, type: string, body: Uint8Array): Promise<string> {
  const encoding = path.startsWith('/loki') ? 'snappy' : '';
  const { status, lines, body: answer } = await handle({ path, type, encoding }, Buffer.from(body).toString('latin1'));
  return status < 300 ? lines : `${String(status)} ${answer}`;
}

const readOtlp = (body: Uint8Array): Promise<string> => read('/v1/logs', 'application/x-protobuf', body);
const readLoki = (body: Uint8Array): Promise<string> => read('/loki/api/v1/push', 'application/x-protobuf', body);

/** A field of a message: writes itself. */
type Part = (writer: BinaryWriter) => unknown;

const encode = (...parts: readonly Part[]): Uint8Array => {
  const writer = new BinaryWriter();
  for (const part of parts) part(writer);
  return writer.finish();
};
const bytes =
  (number: number, value: Uint8Array): Part =>
  (writer) =>
    writer.tag(number, WireType.LengthDelimited).bytes(value);
const text = (number: number, value: string): Part => bytes(number, Buffer.from(value, 'latin1'));
const message = (number: number, ...parts: readonly Part[]): Part => bytes(number, encode(...parts));
const varint =
  (number: number, value: bigint): Part =>
  (writer) =>
    writer.tag(number, WireType.Varint).int64(value);
const fixed64 =
  (number: number, value: bigint): Part =>
  (writer) =>
    writer.tag(number, WireType.Bit64).fixed64(value);
const double =
  (number: number, value: number): Part =>
  (writer) =>
    writer.tag(number, WireType.Bit64).double(value);

/** A value of OTLP as canonical JSON, and as the parts of its message. */
interface Value {
  readonly json: object;
  readonly parts: readonly Part[];
}

const BYTES = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\x00', '\x7f', '\xff', '\xc5\xbc'), maxLength: 6 });
const INT64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const keyValue = (key: string, { json, parts }: Value): Value => ({
  json: { ...(key === '' ? {} : { key }), value: json },
  parts: [...(key === '' ? [] : [text(1, key)]), message(2, ...parts)],
});

const { value: VALUE } = fc.letrec<{ value: Value; leaf: Value }>((tie) => ({
  leaf: fc.oneof(
    BYTES.map((content) => ({ json: { stringValue: content }, parts: [text(1, content)] })),
    fc.boolean().map((flag) => ({ json: { boolValue: flag }, parts: [varint(2, BigInt(flag))] })),
    INT64.map((integer) => ({ json: { intValue: String(integer) }, parts: [varint(3, integer)] })),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((number) => !Object.is(number, -0))
      .map((number) => ({ json: { doubleValue: number }, parts: [double(4, number)] })),
    fc.uint8Array({ maxLength: 4 }).map((content) => ({
      json: { bytesValue: Buffer.from(content).toString('base64') },
      parts: [bytes(7, content)],
    })),
    fc.constant({ json: {}, parts: [] }),
  ),
  value: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => ({
      json: { arrayValue: values.length === 0 ? {} : { values: values.map(({ json }) => json) } },
      parts: [message(5, ...values.map(({ parts }) => message(1, ...parts)))],
    })),
    fc.array(fc.tuple(BYTES, tie('value')), { maxLength: 3 }).map((pairs) => {
      const members = pairs.map(([key, value]) => keyValue(key, value));
      return {
        json: { kvlistValue: members.length === 0 ? {} : { values: members.map(({ json }) => json) } },
        parts: [message(6, ...members.map(({ parts }) => message(1, ...parts)))],
      };
    }),
  ),
}));

const ATTRIBUTES = fc.array(fc.tuple(BYTES, VALUE), { maxLength: 3 }).map((pairs) => pairs.map((pair) => keyValue(...pair)));

/** A log record, with each of its fields or without. */
const RECORD = fc
  .record({
    time: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    severity: fc.nat({ max: 24 }),
    severityText: BYTES,
    body: fc.option(VALUE),
    attributes: ATTRIBUTES,
    traceId: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  })
  .map(({ time, severity, severityText, body, attributes, traceId }): Value => {
    const json = {
      ...(time === 0n ? {} : { timeUnixNano: String(time) }),
      ...(severity === 0 ? {} : { severityNumber: severity }),
      ...(severityText === '' ? {} : { severityText }),
      ...(body === null ? {} : { body: body.json }),
      ...(attributes.length === 0 ? {} : { attributes: attributes.map((attribute) => attribute.json) }),
      traceId: Buffer.from(traceId).toString('hex'),
    };
    const parts = [
      fixed64(1, time),
      varint(2, BigInt(severity)),
      text(3, severityText),
      ...(body === null ? [] : [message(5, ...body.parts)]),
      ...attributes.map((attribute) => message(6, ...attribute.parts)),
      bytes(9, traceId),
    ];
    return { json, parts };
  });

const request = (record: readonly Part[], resource?: readonly Part[]): Uint8Array =>
  encode(message(1, ...(resource === undefined ? [] : [message(1, ...resource)]), message(2, message(2, ...record))));

describe('OTLP in Protobuf', () => {
  test('gives the lines of the same request in JSON, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(RECORD, fc.option(ATTRIBUTES), async (record, resource) => {
        const attributes = resource?.map(({ json }) => json) ?? [];
        const resourceJson = resource === null ? {} : { resource: attributes.length === 0 ? {} : { attributes } };
        const json = { resourceLogs: [{ ...resourceJson, scopeLogs: [{ logRecords: [record.json] }] }] };
        const resourceParts = resource?.map((attribute) => message(1, ...attribute.parts));
        const asJson = await read('/v1/logs', 'application/json', Buffer.from(JSON.stringify(json), 'latin1'));
        expect(await readOtlp(request(record.parts, resourceParts))).toBe(asJson);
      }),
      { numRuns: 150 },
    );
  });

  test.each<[string, readonly Part[], string]>([
    ['an unknown field is passed over', [text(99, 'x'), varint(98, 1n), fixed64(97, 1n), text(12, 'e')], '{"eventName":"e"}'],
    ['a known field of another wire type too', [text(1, 'x'), text(12, 'e')], '{"eventName":"e"}'],
    ['fields have the order of their numbers', [text(12, 'e'), text(3, 'a')], '{"severityText":"a","eventName":"e"}'],
    ['of a field that comes twice the last one counts', [text(3, 'a'), text(3, 'b')], '{"severityText":"b"}'],
    ['of a value the last kind counts', [message(5, varint(3, 7n), text(1, 'x'))], '{"body":{"stringValue":"x"}}'],
    ['the default of a value stands', [message(5, text(1, ''))], '{"body":{"stringValue":""}}'],
    ['a number keeps its digits', [message(5, varint(3, -(2n ** 63n)))], '{"body":{"intValue":"-9223372036854775808"}}'],
    ['a number that JSON does not have', [message(5, double(4, -Infinity))], '{"body":{"doubleValue":"-Infinity"}}'],
    ['no field', [], '{}'],
  ])('%s', async (_what, parts, line) => {
    expect(await readOtlp(request(parts))).toBe(`${line}\n`);
    expect(await readOtlp(request(parts, []))).toBe(`${line.slice(0, -1)}${line === '{}' ? '' : ','}"resource":{}}\n`);
  });

  test('whatever bytes come, the body is read or refused', async () => {
    const cut = request([text(3, 'abc'), message(5, text(1, 'body'))]);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: cut.length - 1 }), async (tail, at) => {
        const given = await readOtlp(Buffer.concat([cut.subarray(0, at), tail]));
        expect(given).toMatch(/^$|^\{[^\n]*\}\n|^400 /);
      }),
    );
    expect(await readOtlp(cut.subarray(0, -1))).toMatch(/^400 .*the Protobuf of the body is broken, or ends early$/s);
  });

  test('messages nest up to 100 levels', async () => {
    const nest = (depth: number): Part => (depth === 0 ? text(1, 'x') : message(5, message(1, nest(depth - 1))));
    expect(await readOtlp(request([message(5, nest(40))]))).toMatch(/^\{"body"/);
    expect(await readOtlp(request([message(5, nest(60))]))).toMatch(/^400 .*Protobuf of more than 100 levels$/s);
  });

  test.each([
    ['text', text(3, 'x'.repeat(1 << 24))],
    ['values', message(5, text(5, '\n\0'.repeat(1 << 18)))],
  ])('an event with more than 16 MiB of %s is refused', async (_what, part) => {
    expect(await readOtlp(request([part]))).toMatch(/^413 .*an event of more than 16 MiB$/s);
  });

  test('answers and errors are Protobuf too', () => {
    const head = { ...HEAD, path: '/v1/logs', type: 'application/x-protobuf' };
    const { type, body } = new Backends().protocolOf(head.path).refuse(429, 'x'.repeat(200), head);
    expect({ type, body }).toEqual({ type: 'application/x-protobuf', body: `\x08\x08\x12\xc8\x01${'x'.repeat(200)}` });
  });
});

describe('Loki in Protobuf', () => {
  const entry = (seconds: bigint, nanos: bigint, line: string, ...metadata: readonly (readonly [string, string])[]): Part =>
    message(
      2,
      message(1, ...(seconds === 0n ? [] : [varint(1, seconds)]), ...(nanos === 0n ? [] : [varint(2, nanos)])),
      text(2, line),
      ...metadata.map(([name, value]) => message(3, text(1, name), text(2, value))),
    );

  test('gives the lines of the same request in JSON, byte for byte', async () => {
    const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 62n });
    const entries = fc.array(
      fc.tuple(nanoseconds, BYTES, fc.array(fc.tuple(fc.constantFrom('a', 'b_1'), BYTES), { maxLength: 1 })),
    );
    await fc.assert(
      fc.asyncProperty(entries, BYTES, async (values, label) => {
        const ofJson = values.map(([time, line, metadata]) => [
          String(time),
          line,
          ...(metadata.length === 0 ? [] : [Object.fromEntries(metadata)]),
        ]);
        const json = JSON.stringify({ streams: [{ stream: { app: 'webmail', z: label }, values: ofJson }] });
        const labels = `{app="webmail", z=${JSON.stringify(label)}}`;
        const ofProtobuf = values.map(([time, line, metadata]) => entry(time / 10n ** 9n, time % 10n ** 9n, line, ...metadata));
        const body = encode(message(1, text(1, labels), ...ofProtobuf));
        expect(await readLoki(body)).toBe(await read('/loki/api/v1/push', 'application/json', Buffer.from(json, 'latin1')));
      }),
    );
  });

  test.each([
    ['{}', '{}'],
    ['{ a = "b" , c="d", }', '{"a":"b","c":"d"}'],
    ['{b="1",a="2"}', '{"b":"1","a":"2"}'],
    ['{a="\\u00e9\\n\\"\\\\\'\xff"}', '{"a":"\\u00e9\\n\\"\\\\\'\xff"}'],
    ['{a="}", b="{,"}', '{"a":"}","b":"{,"}'],
    ['{service.name="x"}', '{"service.name":"x"}'],
  ])('labels %j are %j', async (labels, json) => {
    const body = encode(message(1, text(1, labels), entry(1n, 5n, 'x')));
    expect(await readLoki(body)).toBe(`{"timestamp":"1000000005","labels":${json},"line":"x"}\n`);
  });

  test.each(['', '{', '{a}', '{a="b', '{a="b" c="d"}', '{="b"}', 'a="b"', '{a=`b`}', '{a="\\x41"}'])(
    'labels %j are refused',
    async (labels) => {
      const body = encode(message(1, text(1, labels), entry(1n, 0n, 'x')));
      expect(await readLoki(body)).toContain('the labels of a stream are not of the form');
    },
  );
});
