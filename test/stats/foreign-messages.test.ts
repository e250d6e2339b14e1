import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countLog } from '../../src/stats/count-log.js';
import { formatJson } from '../../src/stats/log-stats.js';
import { formatReport } from '../../src/stats/format-report.js';
import { messagePatternOf } from '../../src/stats/foreign-messages.js';
import { chunksOf } from '../support/bytes.js';
import { placesIn } from '../support/places.js';

const IMAP = '/var/www/roundcube/program/lib/Roundcube/rcube_imap.php';

/** A failed login as Roundcube writes it. */
function login(user: string, from: string, host = '127.0.0.1', reason = 'AUTHENTICATE PLAIN: Authentication failed.'): string {
  const message = `Login failed for ${user} against ${host} from ${from}. ${reason} in ${IMAP} on line 211`;
  return `[22-Nov-2026 01:08:30 +0100]: <ccea4a68> IMAP Error: ${message} (POST /mail/?_task=login&_action=login)`;
}

const LOGIN =
  'IMAP Error: Login failed for * against * from *. AUTHENTICATE PLAIN: Authentication failed. in rcube_imap.php on line *';

describe('messagePatternOf', () => {
  test.each([
    [login('jan', '127.0.0.1'), LOGIN],
    [login('anna nowak@example.org', '2001:db8::17', 'mail.example.org'), LOGIN],
    [login('x', '127.0.0.1 (X-Real-IP: 192.0.2.9,X-Forwarded-For: 203.0.113.5. Could not connect)'), LOGIN],
    [
      login('x', '192.0.2.1', '127.0.0.1', 'Could not connect to 127.0.0.1:10149: Connection refused'),
      'IMAP Error: Login failed for * against * from *. Could not connect to *: Connection refused in rcube_imap.php on line *',
    ],
    [
      '[22-Nov-2026 01:20:13 Europe/Warsaw] PHP Fatal error:  Uncaught RuntimeException: Cannot sync folder for jan@example.org in /srv/w/plugins/p/p.php:6',
      'PHP Fatal error:  Uncaught RuntimeException: Cannot sync folder for * in p.php:*',
    ],
    [
      '[22-Nov-2026 01:20:15 Europe/Warsaw] PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 2097152 bytes) in /a/b.php on line 24',
      'PHP Fatal error:  Allowed memory size of * bytes exhausted (tried to allocate * bytes) in b.php on line *',
    ],
    [
      `[22-Nov-2026 01:18:22 +0100]: <7a0071ae> SMTP Error: Failed to add recipient 'nikt@example.org': 5.7.26 Can't, don't (Code: 550) (POST /mail/?_task=mail)`,
      "SMTP Error: Failed to add recipient '*': * Can't, don't (Code: *)",
    ],
    [
      `[22-Nov-2026 01:18:59 +0100]: <1e0cf483> DB Error: [8] x (SQL Query: SELECT "ip" FROM "session" WHERE "sess_id" = '1e0cf483ea1f9b5c') in /a/rcube_db.php on line 577 (GET /mail/)`,
      'DB Error: [*] x (SQL Query: SELECT "*" FROM "*" WHERE "*" = \'*\') in rcube_db.php on line *',
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
      '[09-Mar-2023 15:46:56] PHP Warning:  Undefined array key "demo" in D:\\Websites\\Mail\\demo.php on line 137',
      'PHP Warning:  Undefined array key "*" in demo.php on line *',
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
});

describe('foreign messages of a log', () => {
  const countsOf = async (log: string): Promise<Record<string, number>> => {
    const counts = await countLog(chunksOf(log));
    return Object.fromEntries(counts.foreignMessages.counts.sorted().map(({ name, count }) => [name, count]));
  };

  test('lines that do not begin with a bracket belong to the message directly above', async () => {
    const trace =
      '[22-Nov-2026 01:20:14 Europe/Warsaw] PHP Fatal error:  Uncaught E: x in /srv/a.php:6\nStack trace:\n#0 {main}\n\nNext F: y\n';
    expect(await countsOf(`garbage\n${trace}${trace}[forged\nStack trace:\n`)).toEqual({
      garbage: 1,
      'PHP Fatal error:  Uncaught E: x in a.php:*': 2,
      '[forged': 1,
    });
  });

  test('they are counted in bounded memory', async () => {
    const names = Array.from(
      { length: 10_000 },
      (_, index) =>
        `[${'x'.repeat(index % 97)}${String.fromCharCode(97 + (index % 26), 97 + (index >> 9), 97 + ((index >> 4) % 32))}`,
    );
    const counts = await countLog(chunksOf(`${'[often\n'.repeat(5000)}${names.join('\n')}\n`));
    const { foreignMessages } = counts;
    const sorted = foreignMessages.counts.sorted();
    expect(sorted.length).toBeLessThanOrEqual(4096);
    expect(sorted[0]).toEqual({ name: '[often', count: 5000 });
    expect(sorted.reduce((sum, { count }) => sum + count, foreignMessages.counts.other)).toBe(15_000);
  });

  test('the report shows the ten most frequent, each on two lines at most', async () => {
    const words = ['long '.repeat(60), ...'a b c d e f g h i j k l'.split(' ')];
    const log = words.map((word, index) => `[${word}\n`.repeat(20 - index)).join('');
    const report = formatReport(await countLog(chunksOf(log)), placesIn('x.log'), { columns: 80, isPlain: true });
    const [, section = ''] = report.split('Foreign messages, * for what varies\n\n');
    const lines = section.split('\n').slice(0, -1);
    expect(lines).toHaveLength(12);
    expect(lines[0]).toMatch(/^20 \[long (?:long )+long$/);
    expect(lines[1]).toMatch(/^ {3}long .*\.\.\.$/);
    expect(lines.slice(2, 4)).toEqual(['19 [a', '18 [b']);
    expect(lines.at(-1)).toBe('27 (others)');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('a log without foreign lines has no such section; empty lines are named', async () => {
    const reportOf = async (log: string): Promise<string> =>
      formatReport(await countLog(chunksOf(log)), placesIn('x.log'), { columns: 40, isPlain: false });
    expect(await reportOf('')).not.toContain('Foreign messages');
    expect(await reportOf('\n\n')).toContain('\n\n2 (empty)\n');
  });

  test('JSON has all of them; bytes that are not UTF-8 have their base64', async () => {
    const json: unknown = JSON.parse(formatJson(await countLog(chunksOf('[a\n[a\n[\xff\n')), placesIn('x.log')));
    expect(json).toMatchObject({
      foreign_messages: [
        { message: '[a', count: 2 },
        { message: '[\ufffd', message_base64: 'W/8=', count: 1 },
      ],
      foreign_messages_other: 0,
    });
  });
});
