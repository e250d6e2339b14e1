import { expect, test } from '@jest/globals';
import { pathOf } from '../../src/requests/target.js';
import { isHandledPath } from '../../src/serve/handled-paths.js';

test.each([
  [true, '/mail/'],
  [true, '/poczta/'],
  [true, '/apps/webmail/'],
  [true, '/mail/index.php'],
  [true, '/poczta/public_html/index.php'],
  [true, '/poczta/?_task=login'],
  [true, '/mail/?C=N%3BO%3DD'],
  [true, '/mail/?a=%zz%'],
  [true, '/mail/index.php?/../x'],
  [true, '/mail/?'],
  [true, '/mail/#f'],
  [true, '/mail/#?'],
  [true, 'http://host/mail/?x'],
  [true, 'HTTP://host/mail/'],
  [true, 'https://u:p@[::1]:80/mail/index.php'],
  [false, '/'],
  [false, '/mail'],
  [false, '/mail/index.html'],
  [false, '/mail/public_html/'],
  [false, '/mail/mail/'],
  [false, '/mail/index.php/'],
  [false, '/Mail/'],
  [false, '/webmail/'],
  [false, '//mail/'],
  [false, '/x/../mail/'],
  [false, '/%6dail/'],
  [false, '/?/mail/'],
  [false, '*'],
  [false, ''],
  [false, 'mail/'],
  [false, 'http://mail/'],
  [false, 'http://host'],
  [false, 'http://host?/mail/'],
  [false, 'http:///mail/'],
  [false, 'ftp://host/mail/'],
])('4 the path is handled: %s %s', (isHandled, target) => {
  expect(isHandledPath(pathOf(target), ['mail', 'poczta', 'apps/webmail'])).toBe(isHandled);
});
