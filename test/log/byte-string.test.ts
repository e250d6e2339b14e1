import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeText, encodeText, isFieldText } from '../../src/log/byte-string.js';
import { text as anyText } from '../support/arbitraries.js';

test('encodeText gives the bytes of a text, and decodeText the text again', () => {
  expect(['/mail/', 'ż', '\ufeffa'].map(encodeText)).toEqual(['/mail/', '\xc5\xbc', '\xef\xbb\xbfa']);
  fc.assert(
    fc.property(fc.oneof(anyText, fc.constant('\ufeffa')), (text) => {
      expect(decodeText(encodeText(text))).toBe(text);
    }),
  );
});

test.each(['\xff', '\xc5', 'a\xbc', '\xed\xa0\x80'])('the bytes of %j are no text', (bytes) => {
  expect(decodeText(bytes)).toBeUndefined();
});

test('a field holds bytes from 0x21 to 0xFF less 0x7F, and nothing else', () => {
  const others = Array.from({ length: 0x102 }, (_, code) => code).filter(
    (code) => !isFieldText(`a${String.fromCharCode(code)}b`),
  );
  expect(others).toEqual([...Array.from({ length: 0x21 }, (_, code) => code), 0x7f, 0x100, 0x101]);
  expect(isFieldText('')).toBe(true);
});
