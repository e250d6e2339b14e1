import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeText } from '../../src/log/byte-string.js';
import { formatGroup } from '../../src/log/group.js';
import { formatGroupPage, formatRefusalPage, PAGE_HEADERS } from '../../src/serve/page.js';
import { deployment, request } from '../support/arbitraries.js';

test('formatGroupPage shows the bytes of any group, and lets none of them be markup', () => {
  fc.assert(
    fc.property(request, deployment, fc.constantFrom('', '</pre><script>alert(1)</script>&lt;'), (logged, site, markup) => {
      const group = formatGroup({ ...logged, target: logged.target + markup }, site);
      const [, shown = ''] = /<pre>([^]*)<\/pre>/.exec(formatGroupPage(Buffer.from(group, 'latin1'))) ?? [];
      expect(shown).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
      expect(shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(group);
    }),
  );
});

test('formatRefusalPage escapes what it is given', () => {
  const page = decodeText(formatRefusalPage('<a>', '/<b>/ & ż'));
  expect(page).toContain('<h1>&lt;a&gt;</h1>\n<p>/&lt;b&gt;/ &amp; ż</p>');
});

test('the page names no other resource, and its policy allows its own style, by its hash, and nothing else', () => {
  const page = formatGroupPage(Buffer.from(''));
  expect(page).not.toMatch(/src=|href=|url\(|@import/);
  const hash = createHash('sha256')
    .update(/<style>([^]*)<\/style>/.exec(page)?.[1] ?? '')
    .digest('base64');
  expect(PAGE_HEADERS[PAGE_HEADERS.indexOf('Content-Security-Policy') + 1]).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});
