import { describe, expect, test } from '@jest/globals';
import { pathOf } from '../../src/requests/target.js';
import { isHandledPath } from '../../src/serve/handled-paths.js';

describe('4 the paths that are handled', () => {
  const prefixes = ['mail', 'poczta', 'apps/webmail'];

  test.each([
    '/mail/',
    '/poczta/',
    '/apps/webmail/',
    '/mail/index.php',
    '/poczta/public_html/index.php',
    '/poczta/?_task=login',
    '/mail/?C=N%3BO%3DD',
    '/mail/?a=%zz%',
    '/mail/index.php?/../x',
    '/mail/?',
    '/mail/#f',
    '/mail/#?',
    'http://host/mail/?x',
    'HTTP://host/mail/',
    'https://u:p@[::1]:80/mail/index.php',
  ])('%s', (target) => {
    expect(isHandledPath(pathOf(target), prefixes)).toBe(true);
  });

  test.each([
    '/',
    '/mail',
    '/mail/index.html',
    '/mail/public_html/',
    '/mail/mail/',
    '/mail/index.php/',
    '/Mail/',
    '/webmail/',
    '//mail/',
    '/x/../mail/',
    '/%6dail/',
    '/?/mail/',
    '*',
    '',
    'mail/',
    'http://mail/',
    'http://host',
    'http://host?/mail/',
    'http:///mail/',
    'ftp://host/mail/',
  ])('no: %s', (target) => {
    expect(isHandledPath(pathOf(target), prefixes)).toBe(false);
  });
});
