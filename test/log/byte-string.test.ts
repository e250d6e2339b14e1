import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { base64Of, decodeText, encodeText, isFieldText, jsonFieldsOf, quoteJson, textOf } from '../../src/log/byte-string.js';
import { text as anyText } from '../support/arbitraries.js';

test.each([
  ['ASCII', '/mail/', '/mail/', undefined],
  ['quotes and backslashes', '"\\', '"\\', undefined],
  ['UTF-8', '\xc5\x82', '\u0142', undefined],
  ['a BOM', '\xef\xbb\xbf', '\ufeff', undefined],
  ['bytes that are not UTF-8', '/\xff', '/\ufffd', 'L/8='],
  ['half a sequence', '\xc5', '\ufffd', 'xQ=='],
  ['half a surrogate pair', '\xed\xa0\x80', '\ufffd'.repeat(3), '7aCA'],
])('%s: the text of a byte string, and its bytes where the text does not hold them', (_what, bytes, text, base64) => {
  expect([textOf(bytes), base64Of(bytes), quoteJson(bytes)]).toEqual([text, base64, JSON.stringify(text)]);
  expect(jsonFieldsOf('name', bytes)).toEqual({ name: text, ...(base64 !== undefined && { name_base64: base64 }) });
  expect(decodeText(bytes)).toBe(base64 === undefined ? text : undefined);
});

test('no byte is lost, and texts come back from their bytes', () => {
  const anyBytes = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
  fc.assert(
    fc.property(fc.oneof(anyBytes, anyText.map(encodeText)), (bytes) => {
      const base64 = base64Of(bytes);
      expect(base64 === undefined ? encodeText(textOf(bytes)) : Buffer.from(base64, 'base64').toString('latin1')).toBe(bytes);
    }),
  );
});

test('a field holds bytes from 0x21 to 0xFF less 0x7F, and nothing else', () => {
  const others = Array.from({ length: 0x102 }, (_, code) => code).filter(
    (code) => !isFieldText(`a${String.fromCharCode(code)}b`),
  );
  expect(others).toEqual([...Array.from({ length: 0x21 }, (_, code) => code), 0x7f, 0x100, 0x101]);
  expect(isFieldText('')).toBe(true);
});
