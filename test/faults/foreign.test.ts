import { describe, expect, test } from '@jest/globals';
import { DataError } from '../../src/errors.js';
import { REAL_RECORDS } from '../../src/faults/kinds.js';
import { findFailedLogin } from '../../src/faults/foreign/real-records.js';
import { fitRecord, readForeignRecords } from '../../src/faults/foreign/foreign-log.js';
import { createDeployment } from '../../src/log/deployment.js';
import { parseRecord } from '../../src/log/line.js';
import { stampAt } from '../../src/log/timestamp.js';
import { breakLog, requestsAt, type BrokenPiece, forEachKind } from '../support/broken-log.js';
import { chunksOf } from '../support/bytes.js';

const SITE = createDeployment({ installRoot: '/srv/mail', timezone: 'America/New_York', library: 'Lib' });
const FOREIGN = { ...forEachKind(0), foreign: 0.3 };

/** The foreign records of a piece, without the LF at their end; none for a piece without a fault. */
function foreignTextsOf({ fault, text, from }: BrokenPiece): readonly string[] {
  if (fault === undefined) return [];
  return [
    text
      .split('\n')
      .slice(fault.line - from, -1)
      .join('\n'),
  ];
}

/** The foreign records of a log, each as it stands behind its group. */
async function drawForeign(): Promise<readonly string[]> {
  const { pieces } = await breakLog(requestsAt(2000, [60_000]), { rates: FOREIGN, deployment: SITE });
  return pieces.flatMap(foreignTextsOf);
}

/** As captured from Roundcube 1.6.10 under PHP 8.4; what differs from record to record is in angle brackets. */
const CAPTURED = [
  '[22-Nov-2026 01:08:30 +0100]: <ccea4a68> IMAP Error: Login failed for jan against 127.0.0.1 from 127.0.0.1. AUTHENTICATE PLAIN: Authentication failed. in /var/www/roundcube/program/lib/Roundcube/rcube_imap.php on line 211 (POST /mail/?_task=login&_action=login)',
  '[21-Nov-2026 08:39:19 +0100]: <8098d78c> IMAP Error: Login failed for jan against 127.0.0.1 from 127.0.0.1. Could not connect to 127.0.0.1:1: Connection refused in /var/www/roundcube/program/lib/Roundcube/rcube_imap.php on line 211 (POST /mail/?_task=login&_action=login)',
  "[22-Nov-2026 01:18:22 +0100]: <7a0071ae> PHP Error: Invalid response code received from server (POST /mail/?_task=mail&_unlock=loading1&_framed=1&_lang=pl&_action=send)\n[22-Nov-2026 01:18:22 +0100]: <7a0071ae> SMTP Error: Failed to add recipient 'nikt@example.org': 5.7.26 This mail is unauthenticated\n5.7.26 see http://127.0.0.1/ for more\n5.7.26 information. abc123 - gsmtp (Code: 550) in /var/www/roundcube/program/lib/Roundcube/rcube.php on line 1795 (POST /mail/?_task=mail&_unlock=loading1&_framed=1&_lang=pl&_action=send)",
  '[22-Nov-2026 01:18:24 +0100]: <1d915060> PHP Error: Connection refused (POST /mail/?_task=mail&_unlock=loading1&_framed=1&_lang=pl&_action=send)\n[22-Nov-2026 01:18:24 +0100]: <1d915060> PHP Error: Failed to connect socket: Connection refused (POST /mail/?_task=mail&_unlock=loading1&_framed=1&_lang=pl&_action=send)\n[22-Nov-2026 01:18:24 +0100]: <1d915060> SMTP Error: Connection failed:  (Code: -1) in /var/www/roundcube/program/lib/Roundcube/rcube.php on line 1795 (POST /mail/?_task=mail&_unlock=loading1&_framed=1&_lang=pl&_action=send)',
  `[22-Nov-2026 01:18:59 +0100]: <eb8e7586> DB Error: [8] attempt to write a readonly database (SQL Query: SELECT "vars", "ip", "changed", datetime('now') AS ts, CASE WHEN "changed" < datetime('now', '-600 seconds') THEN 1 ELSE 0 END AS expired FROM "session" WHERE "sess_id" = 'eb8e75865efd1eed1651b3cf7f5cb4e6') in /var/www/roundcube/program/lib/Roundcube/rcube_db.php on line 577 (GET /mail/)`,
  '[22-Nov-2026 01:19:01 +0100]: <57d42e5a> DB Error: SQLSTATE[HY000] [2002] Connection refused in /var/www/roundcube/program/lib/Roundcube/rcube_db.php on line 201 (GET /mail/)',
  '[22-Nov-2026 01:18:25 +0100]: <61f8b61c> PHP Error: Request security check failed (POST /mail/?_task=settings&_action=save-prefs)',
  '[22-Nov-2026 01:20:15 Europe/Warsaw] PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 2097152 bytes) in /var/www/roundcube/plugins/capfault/capfault.php on line 24',
  '[22-Nov-2026 01:20:13 Europe/Warsaw] PHP Fatal error:  Uncaught RuntimeException: Cannot sync folder for jan@example.org in /var/www/roundcube/plugins/capfault/capfault.php:6\nStack trace:\n#0 /var/www/roundcube/plugins/capfault/capfault.php(18): capfault->boom()\n#1 /var/www/roundcube/program/lib/Roundcube/rcube_plugin_api.php(520): capfault->startup()\n#2 /var/www/roundcube/index.php(92): rcube_plugin_api->exec_hook()\n#3 {main}\n  thrown in /var/www/roundcube/plugins/capfault/capfault.php on line 6',
  '[22-Nov-2026 01:20:14 Europe/Warsaw] PHP Fatal error:  Uncaught RuntimeException: Cannot sync folder for jan@example.org in /var/www/roundcube/plugins/capfault/capfault.php:6\nStack trace:\n#0 /var/www/roundcube/plugins/capfault/capfault.php(20): capfault->boom()\n#1 /var/www/roundcube/program/lib/Roundcube/rcube_plugin_api.php(520): capfault->startup()\n#2 /var/www/roundcube/index.php(92): rcube_plugin_api->exec_hook()\n#3 {main}\n\nNext LogicException: Nie udalo sie in /var/www/roundcube/plugins/capfault/capfault.php:20\nStack trace:\n#0 /var/www/roundcube/program/lib/Roundcube/rcube_plugin_api.php(520): capfault->startup()\n#1 /var/www/roundcube/index.php(92): rcube_plugin_api->exec_hook()\n#2 {main}\n  thrown in /var/www/roundcube/plugins/capfault/capfault.php on line 20',
];

/** What a record is but for who, when, where and which session. */
function shapeOf(record: string): string {
  return record
    .replace(/^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d (?:[+-]\d{4}|([A-Z]\w+\/\w+))\]/gm, (_stamp, zone) =>
      zone === undefined ? '[<stamp>]' : '[<stamp in a zone>]',
    )
    .replace(/^(\[<stamp>\]: )<[0-9a-v]{8}>/gm, '$1<session>')
    .replace(/'(?:[0-9a-f]{32}|[0-9a-v]{26})'/g, "'<id>'")
    .replace(/Login failed for \S+ against (\S+) from \S+?\. /, 'Login failed for <user> against $1 from <address>. ')
    .replace(/127\.0\.0\.1:\d+/, '<server>')
    .replace(/(recipient '|folder for )[\w@.]+/, '$1<user>')
    .replace(/http:\/\/\S+ for/, '<page> for')
    .replace(/information\..* - gsmtp/, 'information. - gsmtp')
    .replace(/\/plugins\/(\w+)\/\w+\.php/g, '/plugins/<plugin>')
    .replace(/(<plugin>)(?::\d+|\(\d+\)| on line \d+)/g, '$1 <line>')
    .replace(/(capfault|sync)->\w+/g, '<method>')
    .replace(/LogicException: [\w ]+ in/, 'LogicException: <message> in')
    .replaceAll(/\/srv\/mail(?=\/)/g, '/var/www/roundcube')
    .replaceAll('/program/lib/Lib/', '/program/lib/Roundcube/')
    .replaceAll(/(GET|POST) \/mail\/\?r=\d+/g, '$1 /mail/');
}

describe('records of the real software', () => {
  test('have the forms that were captured', async () => {
    const shapes = new Set((await drawForeign()).map(shapeOf));
    for (const captured of CAPTURED) expect(shapes).toContain(shapeOf(captured));
    // Beside these: other answers of a server, another limit, a warning of several lines.
    expect(shapes.size).toBe(CAPTURED.length + 4);
  });

  test('have the second, the offset or zone and the root of the group before them, and are no records of this log', async () => {
    const { pieces } = await breakLog(requestsAt(1000, [60_000]), { rates: FOREIGN, deployment: SITE });
    for (const { fault, text, from } of pieces) {
      if (fault === undefined) continue;
      const { timestamp, utcOffset } = stampAt(Math.floor(fault.request.millisecond / 1000), SITE);
      const lines = text.split('\n').slice(fault.line - from, -1);
      for (const line of lines) {
        expect(parseRecord(line)).toBeUndefined();
        if (!line.startsWith('[')) continue;
        expect([`[${timestamp} ${utcOffset}]: `, `[${timestamp} America/New_York] PHP `]).toContain(
          line.slice(0, line.indexOf(']') + (line.includes(']: ') && !line.includes('New_York') ? 3 : 6)),
        );
      }
      const roots = Array.from(text.matchAll(/ (\/\S*?)\/(?:program|plugins|index)/g), ([, root]) => root);
      expect(new Set(roots)).toEqual(new Set(['/srv/mail']));
    }
  });

  test('of logins come singly and in bursts: of one address, behind groups that follow each other, of a user for some tries', async () => {
    const { pieces } = await breakLog(requestsAt(20_000, [60_000]), { rates: { ...FOREIGN, foreign: 0.05 } });
    const logins = pieces.map(({ fault }) => (fault?.details.kind === 'foreign' ? fault.details : undefined));
    const lengths: number[] = [];
    let users = 0;
    for (const [index, login] of logins.entries()) {
      if (login?.user === undefined) continue;
      const isNext = login.address === logins[index - 1]?.address;
      lengths.push(isNext ? (lengths.pop() ?? 0) + 1 : 1);
      if (isNext && login.user !== logins[index - 1]?.user) users += 1;
    }
    expect(lengths.filter((length) => length === 1).length).toBeGreaterThan(100);
    expect(lengths.filter((length) => length >= 3).length).toBeGreaterThan(50);
    expect(Math.max(...lengths)).toBe(8);
    expect(users).toBeGreaterThan(50);
    const count = pieces.filter(({ fault }) => fault !== undefined).length;
    expect(Math.abs(count - 1000)).toBeLessThan(4 * Math.sqrt(950));
  });

  test('are made up: session ids of both alphabets of PHP, addresses of networks for documentation, of both versions', async () => {
    const records = await drawForeign();
    const ids = records.flatMap((record) => /: <(\w+)> /.exec(record)?.[1] ?? []);
    for (const form of [/^[0-9a-f]{8}$/, /^(?=.*[g-v])[0-9a-v]{8}$/])
      expect(ids.filter((id) => form.test(id)).length).toBeGreaterThan(ids.length / 3);
    const networks =
      /^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-4])$|^2001:db8:[1-9a-f][0-9a-f]{0,3}::[1-9a-f][0-9a-f]{0,3}$/;
    const addresses = records.flatMap((record) => findFailedLogin(record).address ?? []);
    for (const address of addresses) expect(address).toMatch(networks);
    expect(new Set(addresses.map((address) => address.slice(0, 7))).size).toBe(4);
  });

  const TEXTS = {
    login_failed: /^\[\S+ \S+ \S+\]: <\w+> IMAP Error: .* Authentication failed\. /,
    imap_unreachable: /^\[\S+ \S+ \S+\]: <\w+> IMAP Error: .* Could not connect /,
    smtp: / SMTP Error: /,
    database: /^\[\S+ \S+ \S+\]: <\w+> DB Error: /,
    php: /^\[\S+ \S+ \S+?(?:\] PHP (?:Warning|Fatal error): |\]: <\w+> PHP Error: Request security)/,
  };

  test.each(REAL_RECORDS)('are of the kind %s alone where that is asked for, and as many', async (kind) => {
    const { faults, pieces } = await breakLog(requestsAt(1000, [60_000]), { rates: FOREIGN, foreignOnly: [kind] });
    expect(new Set(faults.map(({ details }) => details.kind === 'foreign' && details.record))).toEqual(new Set([kind]));
    for (const text of pieces.flatMap(foreignTextsOf)) expect(text).toMatch(TEXTS[kind]);
    const users = faults.filter(({ details }) => details.kind === 'foreign' && details.user !== undefined).length;
    expect(users).toBe(kind === 'login_failed' || kind === 'imap_unreachable' ? faults.length : 0);
    expect(Math.abs(faults.length - 300)).toBeLessThan(4 * Math.sqrt(210));
  });
});

test.each([
  [CAPTURED[0] ?? '', { user: 'jan', address: '127.0.0.1' }],
  [
    '[22-Nov-2026 01:28:18 +0100]: <d8000273> IMAP Error: Login failed for nikt against 127.0.0.1 from 127.0.0.1 (X-Forwarded-For: 203.0.113.5. Could not connect). AUTHENTICATE PLAIN: Authentication failed. in /x/rcube_imap.php on line 211 (POST /)',
    { user: 'nikt', address: '127.0.0.1 (X-Forwarded-For: 203.0.113.5' },
  ],
  [
    '[22-Nov-2026 01:28:20 +0100]: <7253374f> IMAP Error: Login failed for a from b against c against h from 2001:db8::1. No. in /x on line 1 (POST /)',
    { user: 'a from b against c', address: '2001:db8::1' },
  ],
  [CAPTURED[6] ?? '', {}],
])('a failed login is found in %s', (record, login) => {
  expect(findFailedLogin(record)).toEqual(login);
});

describe('records of one’s own', () => {
  test.each([
    ['one', '[a] b\n', ['[a] b']],
    ['without an LF at its end', '[a] b', ['[a] b']],
    ['several, of several lines', '[a] b\nc\n\nd\n[e]\n', ['[a] b\nc\n\nd', '[e]']],
    ['what stands before the first [ is passed over', 'x\ny\n[a]\n', ['[a]']],
    ['CR stays', '[a]\r\nb\r\n', ['[a]\r\nb\r']],
    ['bytes that are no text', '[\xff\x00]\n', ['[\xff\x00]']],
    [
      'records of this log are passed over, with the lines that follow',
      '[03-Mar-2025 08:12:04 +0100]: PHP Error: Failed to load plugin file /p/a/a.php in /p/l.php on line 193 (GET /mail/)\nx\n[a]\n',
      ['[a]'],
    ],
    [
      'so are those that end in CR, and those that would become one',
      '[03-Mar-2025 08:12:04 +0100]: PHP Error: Failed to load plugin file /a in /b on line 193 (GET /)\r\n[99-Mar-2025 08:12:04 +0100]: PHP Error: Failed to load plugin file /a in /b on line 193 (GET /)\n[a]\n',
      ['[a]'],
    ],
  ])('%s', async (_name, log, records) => {
    expect(await readForeignRecords(chunksOf(log, [3, 7]), 'own.log')).toEqual(records);
  });

  test.each([
    ['nothing', '', 'own.log: contains no foreign records; give a log with records that begin with ['],
    ['no [', 'a\nb\n', 'own.log: contains no foreign records; '],
    [
      'a line beyond all bounds',
      `[a]\n[${'x'.repeat(1_200_000)}\n`,
      'own.log:2: the line is longer than the longest record; leave it out',
    ],
    [
      'more than 16 MiB',
      `[a]\n${`[${'x'.repeat(1_000_000)}\n`.repeat(18)}`,
      'own.log:18: the records up to here are larger than 16 MiB; give fewer',
    ],
  ])('%s is refused', async (_name, log, message) => {
    const reading = readForeignRecords(chunksOf(log, [100, 600_000]), 'own.log');
    await expect(reading).rejects.toThrow(DataError);
    await expect(reading).rejects.toThrow(message);
  });

  const GROUP = {
    stamp: { timestamp: '18-May-2025 12:00:00', utcOffset: '+0200' },
    deployment: createDeployment({ installRoot: '/srv/$&' }),
  };

  test.each([
    ['[03-Mar-2025 08:12:04 +0100]: x', '[18-May-2025 12:00:00 +0200]: x'],
    ['[03-Mar-2025 08:12:04 UTC] PHP Warning:  x', '[18-May-2025 12:00:00 Europe/Warsaw] PHP Warning:  x'],
    ['[2025-03-03] x', '[2025-03-03] x'],
    [
      '[x] in /opt/rc/program/lib/Roundcube/rcube.php on line 1\n#0 /opt/rc/index.php(9): y',
      '[x] in /srv/$&/program/lib/Roundcube/rcube.php on line 1\n#0 /srv/$&/index.php(9): y',
    ],
    ["[x] ('/a/b/plugins/c/c.php')", "[x] ('/srv/$&/plugins/c/c.php')"],
    [
      '[x] /var/lib/rc/plugins/c/c.php in /usr/share/rc/program/lib/Roundcube/rcube.php, /var/lib/rc/index.php, /usr/share/rc/x',
      '[x] /srv/$&/plugins/c/c.php in /srv/$&/program/lib/Roundcube/rcube.php, /srv/$&/index.php, /srv/$&/x',
    ],
    ['[x] /rc/app/program/lib/a.php, /rc/plugins/c/c.php', '[x] /srv/$&/program/lib/a.php, /srv/$&/plugins/c/c.php'],
    ['[x] plugins/c.php and a/plugins/c.php', '[x] plugins/c.php and a/plugins/c.php'],
  ])('%j behind a group is %j', (record, fitted) => {
    expect(fitRecord(record, GROUP)).toBe(fitted);
  });

  test('fit an installation whose plugins are below another folder than its program', () => {
    const deployment = createDeployment({
      pluginsFolder: '/var/lib/roundcube/addons',
      loaderPath: '/usr/share/roundcube/program/lib/Roundcube/rcube_plugin_api.php',
    });
    expect(
      fitRecord('[x] /w/rc/plugins/c/c.php(2): /w/rc/program/lib/Roundcube/rcube.php, /w/rc/index.php', { ...GROUP, deployment }),
    ).toBe(
      '[x] /var/lib/roundcube/addons/c/c.php(2): /usr/share/roundcube/program/lib/Roundcube/rcube.php, /usr/share/roundcube/index.php',
    );
  });

  test('stand behind groups, singly, as those of the real software other than logins do', async () => {
    const foreignRecords = ['[a]\nb', '[c]'];
    const requests = requestsAt(300, [1000]);
    const { faults, pieces } = await breakLog(requests, { rates: FOREIGN, foreignRecords });
    const others = await breakLog(requests, { rates: FOREIGN, foreignOnly: ['smtp'] });
    expect(new Set(pieces.flatMap(foreignTextsOf))).toEqual(new Set(foreignRecords));
    expect(faults.map(({ request }) => request)).toEqual(others.faults.map(({ request }) => request));
  });
});
