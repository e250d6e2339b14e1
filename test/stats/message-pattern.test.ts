import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { messagePatternOf } from '../../src/stats/message-pattern.js';

const IMAP = '/var/www/roundcube/program/lib/Roundcube/rcube_imap.php';

function login(user: string, from: string, host = '127.0.0.1', reason = 'AUTHENTICATE PLAIN: Authentication failed.'): string {
  const message = `Login failed for ${user} against ${host} from ${from}. ${reason} in ${IMAP} on line 211`;
  return `[22-Nov-2026 01:08:30 +0100]: <ccea4a68> IMAP Error: ${message} (POST /mail/?_task=login&_action=login)`;
}

const LOGIN =
  'IMAP Error: Login failed for * against * from *. AUTHENTICATE PLAIN: Authentication failed. in rcube_imap.php on line *';

test.each([
  [login('jan', '127.0.0.1'), LOGIN],
  [login('anna nowak@example.org', '2001:db8::17', 'mail.example.org'), LOGIN],
  [login('x', '127.0.0.1 (X-Real-IP: 192.0.2.9,X-Forwarded-For: 203.0.113.5. Could not connect)'), LOGIN],
  [login('x', '192.0.2.1', '127.0.0.1', 'No 127.0.0.1:10149: refused'), LOGIN.replace(/AUTH.*failed\./, 'No *: refused')],
  [
    '[22-Nov-2026 01:20:13 Europe/Warsaw] PHP Fatal error:  Uncaught E: no jan@example.org in /w/p.php:6',
    'PHP Fatal error:  Uncaught E: no * in p.php:*',
  ],
  [
    '[22-Nov-2026 01:20:15 UTC] PHP Fatal error:  Allowed memory size of 134217728 bytes (tried 2097152) in /a/b.php on line 24',
    'PHP Fatal error:  Allowed memory size of * bytes (tried *) in b.php on line *',
  ],
  [
    `[22-Nov-2026 01:18:22 +0100]: <7a0071ae> SMTP Error: 'nikt@example.org': 5.7.26 Can't, don't (Code: 550) (POST /?_task=mail)`,
    "SMTP Error: '*': * Can't, don't (Code: *)",
  ],
  [
    `[22-Nov-2026 01:18:59 +0100]: <1e0cf483> DB Error: [8] (SELECT "ip" FROM "s" WHERE "id" = '1e0cf48') in /a/db.php on line 577 (GET /)`,
    `DB Error: [*] (SELECT "*" FROM "*" WHERE "*" = '*') in db.php on line *`,
  ],
  [`${login('jan', '127.0.0.1')}\r`, LOGIN],
  [login('a from b. against c', '192.0.2.7(X-Real-IP: 192.0.2.26,X-Forwarded-For: 198.51.100.103, 192.0.2.26)'), LOGIN],
  [login('jan', '192.0.2.7').replace(' against 127.0.0.1', ''), LOGIN.replace(' against *', '')],
  [
    login('x from y', '192.0.2.7(X-Real-IP: 198.51.100.4,X-Forwarded-For: z from 1. B)')
      .replace(/ against \S+/, '')
      .replace('ccea', 'z-,q'),
    LOGIN.replace(' against *', ''),
  ],
  [login('jan', '192.0.2.7').replace('<ccea4a68> ', ''), LOGIN],
  ...[
    'FastCGI sent in stderr: "PHP message: M" while reading response header from upstream, client: 192.0.2.7',
    "AH01071: Got error 'PHP message: M'",
    'said into stderr: "NOTICE: PHP message: M"',
    'said into stdout: "errors: M"',
    'said into stdout: "errors: M',
  ].map((form): [string, string] => [
    `[03-Feb-2025 10:38:24] WARNING: [pool www] child 43 ${form.replace('M', `PHP Warning:  Undefined array key 'd' in /srv/a.php on line 3`)}`,
    "PHP Warning:  Undefined array key '*' in a.php on line *",
  ]),
  [
    '[09-Mar-2023 15:46:56] PHP Warning:  No "demo" in D:\\Websites\\Mail\\demo.php on line 137',
    'PHP Warning:  No "*" in demo.php on line *',
  ],
  [login('jan', '127.0.0.1').replace('mail/', `mail/${'a'.repeat(1024)}`), LOGIN],
  ['id 1e0cf483ea1f9b5c26bdf628 and face, at 2001:db8::1 and [::1]:80, Foo::bar', 'id * and face, at * and *, Foo::bar'],
  ['[22-Nov-2026 01:18:59 +0100]: ', ''],
  ['#0 /var/www/x.php(18): a->b()', '#* x.php(*): a->b()'],
  ['', ''],
])('%s', (line, pattern) => {
  expect(messagePatternOf(line)).toBe(pattern);
});

test('takes time in proportion to a line, whatever it holds, and no more than a KiB of it', () => {
  for (const unit of ["'", '"', '/a', ':', '1.', '@', ' for ', 'Login failed for ', 'ab1', '(', '[', ' from x against y'])
    expect(messagePatternOf(unit.repeat(1 << 18)).length).toBeLessThanOrEqual(2048);
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (line) => {
      expect(messagePatternOf(line).length).toBeLessThanOrEqual(2 * line.length);
    }),
  );
});
