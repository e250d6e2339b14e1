import { expect, test } from '@jest/globals';
import { pathOf } from '../../src/requests/target.js';
import { isHandledPath } from '../../src/serve/handled-paths.js';

test.each<[isHandled: boolean, prefix: string, targets: string]>([
  [true, '/mail', '/ /index.php /?C=N%3BO%3DD /?a=%zz% /index.php?/../x /? /#f /#?'],
  [true, '/poczta', '/ /public_html/index.php /?_task=login'],
  [true, '/apps/webmail', '/'],
  [true, '', 'http://host/mail/?x HTTP://host/mail/ https://u:p@[::1]:80/mail/index.php'],
  [false, '/mail', '/index.html /public_html/ /mail/ /index.php/'],
  [false, '', ' / /mail /Mail/ /webmail/ //mail/ /x/../mail/ /%6dail/ /?/mail/ * mail/'],
  [false, '', 'http://mail/ http://host http://host?/mail/ http:///mail/ ftp://host/mail/'],
])('4 paths that are handled: %s: %s, with %s', (isHandled, prefix, targets) => {
  const results = targets
    .split(' ')
    .map((target) => [target, isHandledPath(pathOf(prefix + target), ['mail', 'poczta', 'apps/webmail'])]);
  expect(results).toEqual(results.map(([target]) => [target, isHandled]));
});
