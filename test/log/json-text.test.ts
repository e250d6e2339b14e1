import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatJsonField, isUtf8, jsonFieldsOf, quoteBase64, quoteJson } from '../../src/log/json-text.js';
import { encodeText } from '../../src/log/byte-string.js';
import { text } from '../support/arbitraries.js';

const byteString = fc.oneof(
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  text.map(encodeText),
);

describe('byte strings in JSON', () => {
  test.each([
    ['ASCII', '/mail/', '"/mail/"', { name: '/mail/' }],
    ['quotes and backslashes', '"\\', '"\\"\\\\"', { name: '"\\' }],
    ['UTF-8', '\xc5\x82', '"\u0142"', { name: '\u0142' }],
    ['a BOM', '\xef\xbb\xbf', '"\ufeff"', { name: '\ufeff' }],
    ['bytes that are not UTF-8', '/\xff', '"/\ufffd"', { name: '/\ufffd', name_base64: 'L/8=' }],
    ['half a surrogate pair', '\xed\xa0\x80', '"\ufffd\ufffd\ufffd"', { name: '\ufffd'.repeat(3), name_base64: '7aCA' }],
  ])('%s', (_what, bytes, json, fields) => {
    expect(quoteJson(bytes)).toBe(json);
    expect(jsonFieldsOf('name', bytes)).toEqual(fields);
    expect(isUtf8(bytes)).toBe(!('name_base64' in fields));
  });

  test('no byte is lost: base64 holds them where the text does not', () => {
    fc.assert(
      fc.property(byteString, (bytes) => {
        const { name, name_base64: base64 } = jsonFieldsOf('name', bytes);
        expect(base64 === undefined ? encodeText(name) : Buffer.from(base64, 'base64').toString('latin1')).toBe(bytes);
      }),
    );
  });

  test('the text of a field is that of its object', () => {
    fc.assert(
      fc.property(byteString, (bytes) => {
        expect(JSON.parse(`{${formatJsonField('name', bytes)}}`)).toEqual(jsonFieldsOf('name', bytes));
        expect(JSON.parse(quoteJson(bytes))).toBe(jsonFieldsOf('name', bytes).name);
        expect(JSON.parse(quoteBase64(bytes))).toBe(Buffer.from(bytes, 'latin1').toString('base64'));
      }),
    );
  });
});
