import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeText } from '../../src/log/byte-string.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { formatGroupPage, formatRefusalPage, PAGE_HEADERS } from '../../src/serve/page.js';
import { deployment, request } from '../support/arbitraries.js';

function shownIn(page: string): string {
  return /<pre>([^]*)<\/pre>/.exec(page)?.[1] ?? '';
}

describe('formatGroupPage', () => {
  test('shows the bytes of any group, and lets none of them be markup', () => {
    fc.assert(
      fc.property(request, deployment, (logged, site) => {
        const group = formatGroup(logged, site);
        const shown = shownIn(formatGroupPage(Buffer.from(group, 'latin1')));
        expect(shown).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
        expect(shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(group);
      }),
    );
  });

  test('a script in a target is text', () => {
    const logged = { millisecond: 0, method: 'GET', target: '/mail/?</pre><script>alert(1)</script>&lt;' };
    const page = formatGroupPage(Buffer.from(formatGroup(logged, createDeployment()), 'latin1'));
    expect(page).not.toContain('<script');
    expect(page).toContain('/mail/?&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;)');
  });

  test('is all there is: it names no other resource', () => {
    expect(formatGroupPage(Buffer.from(''))).not.toMatch(/src=|href=|url\(|@import/);
  });
});

test('formatRefusalPage escapes what it is given', () => {
  const page = decodeText(formatRefusalPage('<a>', '/<b>/ & ż'));
  expect(page).toContain('<h1>&lt;a&gt;</h1>\n<p>/&lt;b&gt;/ &amp; ż</p>');
});

test('the content security policy allows the style of the page, by its hash, and nothing else', async () => {
  const style = /<style>([^]*)<\/style>/.exec(formatGroupPage(Buffer.from('')))?.[1] ?? '';
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64');
  expect(PAGE_HEADERS[PAGE_HEADERS.indexOf('Content-Security-Policy') + 1]).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});
