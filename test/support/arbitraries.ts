import fc from 'fast-check';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { encodeText } from '../../src/log/byte-string.js';
import type { LogRequest } from '../../src/log/group.js';

const fieldByte = fc
  .integer({ min: 0x21, max: 0xff })
  .filter((byte) => byte !== 0x7f)
  .map((byte) => String.fromCharCode(byte));

/** Bytes that can stand in a field: quotes, brackets, raw UTF-8, bytes that are no text. */
const fieldText = fc.string({ unit: fieldByte, maxLength: 30 });

/** Any text. The unit `binary` of fast-check would be the same, but it lists all 1.1 million characters first, in each test file. */
export const text = fc.string({
  unit: fc
    .integer({ min: 0, max: 0x10ffff })
    .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
    .map((codePoint) => String.fromCodePoint(codePoint)),
});

export const target = fc.oneof(
  fc.constantFrom('/mail/', '/poczta/?_task=login', '/webmail/?C=S%3BO%3DA', '/poczta/?x=)', '/)(]["\'\\', '/a$&b$1$$'),
  fieldText.map((path) => `/${path}`),
  fieldText.map((path) => `http://h/${path}`),
  text.map((query) => `/?q=${encodeText(query).replace(/[\x00-\x20\x7f]/g, '_')}`),
);

export const method = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PROPFIND', "!#$%&'*+-.^_`|~");

export const millisecond = fc.integer({ min: 86_400_000, max: Date.UTC(2200, 0, 1) });

export const request: fc.Arbitrary<LogRequest> = fc.record({ millisecond, method, target });

export const ZONES = [
  'Europe/Warsaw',
  'UTC',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Antarctica/Troll',
] as const;

const name = fc.string({ unit: fieldByte, minLength: 1, maxLength: 12 }).map((bytes) => bytes.replace(/[\x80-\xff]/g, 'ż'));

export const deployment: fc.Arbitrary<Deployment> = fc
  .record(
    {
      installRoot: name.map((folder) => `/${folder}`),
      runtimeTag: name,
      scriptExtension: name,
      library: name,
      loaderFile: name,
      loaderLine: fc.integer({ min: 1, max: 99_999 }),
      sessionFile: name,
      sessionLine: fc.integer({ min: 1, max: 99_999 }),
      timezone: fc.constantFrom(...ZONES),
      plugins: fc.uniqueArray(name, { minLength: 1, maxLength: 9 }),
      dialect: fc.constantFrom('spec', 'php'),
    } as const,
    { requiredKeys: [] },
  )
  .map((options) => createDeployment(options));

/** Bytes that may be taken for a log: parts of a sample, among other bytes and beginnings and ends of records. */
export const brokenLog = (sample: string): fc.Arbitrary<string> => {
  const piece = fc.oneof(
    fc.tuple(fc.nat(sample.length), fc.nat(3000)).map(([from, length]) => sample.slice(from, from + length)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc.constantFrom('\n', '[18-May-9999 23:59:59 -9999]: ', '[01-Jan-0000 00:00:00 +9999]: ', ')\n', ' (GET *)\n'),
  );
  return fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
};

/** A log in which bytes are lost, and others stand in their place. */
export const damaged = (log: string): fc.Arbitrary<string> => {
  const by = fc.constantFrom('', 'x', '\n', '\r\n', 'Stack trace:\n', '\xff', '[');
  return fc
    .array(fc.record({ at: fc.nat(log.length), length: fc.nat(600), by }), { maxLength: 6 })
    .map((damages) => damages.reduce((text, { at, length, by }) => text.slice(0, at) + by + text.slice(at + length), log));
};
