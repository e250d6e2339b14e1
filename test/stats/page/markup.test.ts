import { expect, test } from '@jest/globals';
import { markup, NOTHING } from '../../../src/stats/page/markup.js';

test.each([
  ['&<>"\'', '&amp;&lt;&gt;&quot;&#39;'],
  ['&amp;', '&amp;amp;'],
  ['a\nb\0\x1b[31m', 'a\\nb\\x00\\x1b[31m'],
  ['\u202e\u2066\u00a0\u2028', '\\u{202e}\\u{2066}\\xa0\\u{2028}'],
  ['/mail\u3164/\u034f', '/mail\\u{3164}/\\u{34f}'],
  ['ż 日本 😀', 'ż 日本 😀'],
])('the text %j stands in a piece as %j', (text, source) => {
  expect(markup`<p class="${text}">${text}</p>`.source).toBe(`<p class="${source}">${source}</p>`);
});

test('pieces stand as they are, several on a line each', () => {
  const pieces = ['<', '>'].map((text) => markup`<b>${text}</b>`);
  expect(markup`${pieces}:${NOTHING}:${[]}`.source).toBe('<b>&lt;</b>\n<b>&gt;</b>::');
});
