import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { readEntries } from '../support/explain.js';
import { describeWith } from '../support/programs.js';
import { makeFolder, PROJECT, run, runShell } from '../support/run.js';
import { until } from '../support/until.js';
import { FAIL2BAN, LOG, LOGAGENT_BIN, RECORDS, RunningCollector } from './collectors.js';
import { findings, PARSED, parsedBut } from './delivery.js';
import { writeOddLog } from './odd-log.js';

const CAPTURE = join(PROJECT, 'fixtures/captured/error.log');
const PLUGINS = createDeployment({}).plugins;

/** A folder with the captured log, or with a log of odd targets, as `LOG`. */
async function folderWith(log: 'capture' | 'odd targets'): Promise<string> {
  const folder = makeFolder();
  if (log === 'capture') copyFileSync(CAPTURE, join(folder, LOG));
  else renameSync(await writeOddLog(folder), join(folder, LOG));
  return folder;
}

describeWith([LOGAGENT_BIN], 'logagent', () => {
  test.each([
    ['capture', 2632, {}],
    ['odd targets', 48_120, { lossy: 16_912 }],
  ] as const)('every field of a log: %s', async (log, records, known) => {
    const folder = await folderWith(log);
    const { exit } = await runShell(
      `TZ=Europe/Warsaw DISABLE_DEFAULT_PATTERNS=true "\${program[0]}" "${PROJECT}${LOGAGENT_BIN}" --ldjson \
        -n error.log -f "${PROJECT}parsers/logagent/patterns.yml" < ${LOG} > ${RECORDS}`,
      { cwd: folder },
    );
    expect(exit).toBe(0);
    const expected = { records_sent: records, records_delivered: records, ...known };
    expect(await findings(folder, LOG, [...PARSED, '--lossy'])).toEqual(expected);
  });
});

describeWith(['lnav'], 'lnav', () => {
  test.each([
    ['capture', 2632],
    ['odd targets', 48_120],
  ] as const)('every field of a log but the instant, byte for byte: %s', async (log, records) => {
    const folder = await folderWith(log);
    const { exit } = await runShell(
      `export HOME=$PWD
       lnav -i "${PROJECT}parsers/lnav/webmail-diaglog.json" &&
       lnav -n -q -c ';SELECT * FROM webmail_diaglog' -c ':write-jsonlines-to ${RECORDS}' ${LOG}`,
      { cwd: folder },
    );
    expect(exit).toBe(0);
    const expected = { records_sent: records, records_delivered: records };
    expect(await findings(folder, LOG, parsedBut('kind', 'instant', 'timestamp'))).toEqual(expected);
  });
});

describeWith(['mtail'], 'mtail', () => {
  test.each([
    ['load failures without deprecation records, with a session id', 3],
    ['deprecation records alone', 3],
  ])('counts requests of a log of %s', async (name, requests) => {
    const folder = makeFolder();
    const groups = [0, 1000, 2000].map((millisecond) =>
      formatGroup({ millisecond, method: 'GET', target: '/' }, createDeployment()),
    );
    const lines = groups
      .join('')
      .split('\n')
      .filter((line) => line.includes('Deprecated: ') !== name.startsWith('load'));
    writeFileSync(join(folder, LOG), lines.map((line) => `${line.replace(']: ', ']: <m050aivd> ')}\n`).join(''));
    const { stdout } = await runShell(
      `mtail --one_shot --one_shot_format prometheus --address 127.0.0.1 --port 0 \
        --progs "${PROJECT}parsers/mtail/webmail-diaglog.mtail" --logs ${LOG}`,
      { cwd: folder },
    );
    expect(stdout).toContain(`webmail_requests_total{prog="webmail-diaglog.mtail"} ${String(requests)}\n`);
  });

  test('counts the requests, and the load failures of each plugin', async () => {
    const folder = makeFolder();
    const { exit, stdout } = await runShell(
      `mtail --one_shot --one_shot_format prometheus --address 127.0.0.1 --port 0 \
        --progs "${PROJECT}parsers/mtail/webmail-diaglog.mtail" --logs "${CAPTURE}"`,
      { cwd: folder },
    );
    expect(exit).toBe(0);
    const program = 'prog="webmail-diaglog.mtail"';
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      ...PLUGINS.map(
        (name) => `webmail_load_failures_total{plugin_file_path="/var/www/roundcube/plugins/${name}/${name}.php",${program}} 329`,
      ),
      `webmail_requests_total{${program}} 329`,
    ]);
  });
});

const FILTERS = join(PROJECT, 'parsers/fail2ban/filter.d');

/** A failed login as it stands between its time and its file. */
const login = (words: string): string =>
  `[22-Nov-2026 01:28:18 +0100]: <d8000273> IMAP Error: Login failed for ${words} in /r/program/lib/Roundcube/rcube_imap.php on line 211 (POST /mail/?_task=login&_action=login)\n`;
const REFUSED = 'AUTHENTICATE PLAIN: Authentication failed.';

describeWith(FAIL2BAN.needs, FAIL2BAN.name, () => {
  test('a jail bans the addresses of three failed logins, and no others', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, LOG), '');
    const server = new RunningCollector(FAIL2BAN, folder);
    const { exit, stderr } = await run([
      ...['synth', '--live', '--rate', '100', '--count', '300', '--faults', 'foreign:0.2'],
      ...['--fault-report', join(folder, 'report'), '-o', join(folder, LOG)],
    ]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('foreign') });
    const expected = addressesToBan(folder);
    expect(expected.length).toBeGreaterThan(3);
    await until(() => bannedIn(folder).length >= expected.length);
    // Whatever it has read by now is acted on before it ends.
    await server.end('SIGTERM');
    expect(bannedIn(folder).toSorted()).toEqual(expected);
  });

  test.each([
    ['an address', `a against h from 192.0.2.1. ${REFUSED}`, '192.0.2.1'],
    ['an address of IPv6', `a against h from 2001:db8::1. ${REFUSED}`, '2001:db8::1'],
    ['a proxy', `a against h from 192.0.2.1 (X-Real-IP: 192.0.2.9,X-Forwarded-For: b). ${REFUSED}`, '192.0.2.1'],
    ['a mail server that is down', 'a against h from 192.0.2.1. Could not connect to h:143: Connection refused', ''],
    [
      'the words of that in a header',
      `a against h from 192.0.2.1 (X-Forwarded-For: b). Could not connect to h). ${REFUSED}`,
      '192.0.2.1',
    ],
    ['no mail server, before 1.4', `a from 192.0.2.1. ${REFUSED}`, '192.0.2.1'],
    ['headers without a space, before 1.5', `a against h from 192.0.2.1(X-Real-IP: 192.0.2.9). ${REFUSED}`, '192.0.2.1'],
    ['words in the user name', `sent from home against h from 192.0.2.1. ${REFUSED}`, '192.0.2.1'],
    ['another address in the user name', `x against h from 192.0.2.7. y against h from 192.0.2.1. ${REFUSED}`, ''],
    ['another address in the user name, before 1.4', `x from 192.0.2.7. y from 192.0.2.1. ${REFUSED}`, ''],
    [
      'another address in a header',
      `a against h from 192.0.2.1 (X-Forwarded-For: x against h from 192.0.2.7. y). ${REFUSED}`,
      '',
    ],
  ])('a failed login with %s', async (_name, words, address) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'log'), login(words));
    const { stdout } = await runShell(`fail2ban-regex -o ip log "${FILTERS}/webmail-diaglog-logins.conf"`, { cwd });
    expect(stdout.trim()).toBe(address);
  });

  test.each([['<d8000273> '], ['<7hnje4ei> '], ['<ZZ,-09az> '], ['']])('a failed login with the session id "%s"', async (id) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'log'), login(`a against h from 192.0.2.1. ${REFUSED}`).replace('<d8000273> ', id));
    const { stdout } = await runShell(`fail2ban-regex -o ip log "${FILTERS}/webmail-diaglog-logins.conf"`, { cwd });
    expect(stdout.trim()).toBe('192.0.2.1');
  });

  test('a plugin that cannot be loaded is told by its name', async () => {
    const { stdout } = await runShell(
      `fail2ban-regex -o id "${CAPTURE}" "${FILTERS}/webmail-diaglog-plugins.conf" | sort | uniq -c`,
    );
    expect(stdout.trim().split(/\n? +/)).toEqual(PLUGINS.flatMap((name) => ['329', name]));
  });
});

/** The addresses that the jail of a folder has banned, in that order. */
function bannedIn(folder: string): readonly string[] {
  return readFileSync(join(folder, 'banned'), 'utf8').split('\n').slice(0, -1);
}

/** The addresses with three or more failed logins of the report of `--fault-report`, but for those of a mail server that was down. */
function addressesToBan(folder: string): readonly string[] {
  const lines = readFileSync(join(folder, LOG), 'latin1').split('\n');
  const counts = new Map<string, number>();
  for (const { line, address } of readEntries(readFileSync(join(folder, 'report'), 'utf8'))) {
    if (address === undefined || lines[line - 1]?.includes('Could not connect') === true) continue;
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return Array.from(counts)
    .flatMap(([address, count]) => (count >= 3 ? [address] : []))
    .toSorted();
}
