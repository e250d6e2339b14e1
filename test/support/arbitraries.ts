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

/** Any character of Unicode. (fast-check's own `unit: 'binary'` makes a map of all of them first, which takes a second.) */
export const character = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

/** Any valid request target, of any bytes. */
export const target = fc.oneof(
  fc.constantFrom('/mail/', '/poczta/?_task=login', '/webmail/?C=S%3BO%3DA', '/poczta/?x=)', '/)(]["\'\\', '/a$&b$1$$'),
  fieldText.map((text) => `/${text}`),
  fieldText.map((text) => `http://h/${text}`),
  fc.string({ unit: character }).map((text) => `/?q=${encodeText(text).replace(/[\x00-\x20\x7f]/g, '_')}`),
);

export const method = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PROPFIND', "!#$%&'*+-.^_`|~");

/** Instants from 1970 to the year 2200, in milliseconds. */
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

const name = fc.string({ unit: fieldByte, minLength: 1, maxLength: 12 }).map((text) => text.replace(/[\x80-\xff]/g, 'ż'));

export const deployment: fc.Arbitrary<Deployment> = fc
  .record(
    {
      installRoot: name.map((text) => `/${text}`),
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
