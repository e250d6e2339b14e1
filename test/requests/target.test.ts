import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { partsOf, pathOf, prefixOf } from '../../src/requests/target.js';
import { target } from '../support/arbitraries.js';

describe('pathOf', () => {
  test.each([
    ['/mail/', '/mail/'],
    ['/mail/?x=/y.php', '/mail/'],
    ['/mail/?x#y', '/mail/'],
    ['/mail/?a\nb', '/mail/'],
    ['/?/mail/', '/'],
    ['/%6dail/../x', '/%6dail/../x'],
    ['http://h/mail/?x', '/mail/'],
    ['https://h:8443/mail/', '/mail/'],
    ['HttpS://u:p@[::1]:80/mail/#top', '/mail/'],
    ['http://h', '/'],
    ['http://h?x', '/'],
    ['http://h#/mail/', '/'],
    ['/xhttp://h/a.php', '/xhttp://h/a.php'],
    ['http:///mail/', 'http:///mail/'],
    ['*', '*'],
    ['ftp://h/mail/', 'ftp://h/mail/'],
  ])('the path of %j is %s', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });
});

describe('prefixOf', () => {
  test.each([
    ['/mail/', ['mail'], 'mail'],
    ['/mail/a/b.php', ['poczta', 'mail'], 'mail'],
    ['/mail', ['mail'], undefined],
    ['/mailbox/', ['mail'], undefined],
    ['/apps/mail/x/', ['mail', 'apps', 'apps/mail'], 'apps/mail'],
    ['/x/', [], undefined],
    ['/mail/index.php', undefined, 'mail'],
    ['/index.php', undefined, 'index.php'],
    ['/', undefined, ''],
  ])('%s under one of %j: %s', (path, prefixes, prefix) => {
    expect(prefixOf(path, prefixes)).toBe(prefix);
  });
});

test('the parts of any target, put together, are the target', () => {
  fc.assert(
    fc.property(target, (text) => {
      const { scheme, authority = '', path, query, fragment } = partsOf(text);
      const origin = scheme === undefined ? '' : `${scheme}://${authority}`;
      const rest = (query === undefined ? '' : `?${query}`) + (fragment === undefined ? '' : `#${fragment}`);
      expect(origin + path + rest).toBe(text);
    }),
  );
});
