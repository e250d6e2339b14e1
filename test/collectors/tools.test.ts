import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { readEntries } from '../support/explain.js';
import { describeWith } from '../support/programs.js';
import { makeFolder, PROJECT, run, runShell } from '../support/run.js';
import { until } from '../support/until.js';
import { FAIL2BAN, LOG, LOGAGENT_BIN, RECORDS, RunningCollector } from './collectors.js';
import { findings, folderWithLog, PARSED, parsedBut } from './delivery.js';
import { FIELD_LOG, writeOddLog } from './odd-log.js';

const CAPTURE = join(PROJECT, 'fixtures/captured/error.log');
const PLUGINS = createDeployment({}).plugins;

/** A folder with the captured log, a log of odd targets or those of the field as `LOG`. */
async function folderWith(log: 'capture' | 'odd targets' | 'the field'): Promise<string> {
  if (log !== 'odd targets') return folderWithLog(log === 'capture' ? readFileSync(CAPTURE, 'latin1') : FIELD_LOG);
  const folder = makeFolder();
  renameSync(await writeOddLog(folder), join(folder, LOG));
  return folder;
}

describeWith([LOGAGENT_BIN], 'logagent', () => {
  test.each([
    ['capture', 2632, {}],
    ['odd targets', 48_120, { lossy: 16_912 }],
    ['the field', 44, {}],
  ] as const)('every field of a log: %s', async (log, records, known) => {
    const folder = await folderWith(log);
    const { exit } = await runShell(
      `TZ=Europe/Warsaw DISABLE_DEFAULT_PATTERNS=true "\${program[0]}" "${PROJECT}${LOGAGENT_BIN}" --ldjson \
        -n error.log -f "${PROJECT}parsers/logagent/patterns.yml" < ${LOG} > ${RECORDS}`,
      { cwd: folder },
    );
    expect(exit).toBe(0);
    const expected = { records_sent: records, records_delivered: records, ...known };
    // The instant of a deprecation record depends on the records around it, which the field lacks.
    const how = log === 'the field' ? parsedBut('instant') : PARSED;
    expect(await findings(folder, LOG, [...how, '--lossy'])).toEqual(expected);
  });
});

describeWith(['lnav'], 'lnav', () => {
  test.each([
    ['capture', 2632],
    ['odd targets', 48_120],
    ['the field', 44],
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
  const countIn = async (log: string): Promise<string> => {
    const { stdout } = await runShell(
      `mtail --one_shot --one_shot_format prometheus --address 127.0.0.1 --port 0 \
        --progs "${PROJECT}parsers/mtail/webmail-diaglog.mtail" --logs "${log}"`,
    );
    return stdout;
  };

  test.each([
    ['no-deprecation-three-plugins', 3],
    ['session-id', 2],
    ['deprecation-only', 4],
    ['plugins-differ-by-task', 3],
  ])('counts the requests of the field: %s', async (name, requests) => {
    expect(await countIn(join(PROJECT, `test/reading/field/${name}.log`))).toContain(
      `webmail_requests_total{prog="webmail-diaglog.mtail"} ${String(requests)}\n`,
    );
  });

  test('counts the requests, and the load failures of each plugin', async () => {
    const counts = await countIn(CAPTURE);
    const program = 'prog="webmail-diaglog.mtail"';
    expect(counts.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      ...PLUGINS.map(
        (name) => `webmail_load_failures_total{plugin_file_path="/var/www/roundcube/plugins/${name}/${name}.php",${program}} 329`,
      ),
      `webmail_requests_total{${program}} 329`,
    ]);
  });
});

const FILTERS = join(PROJECT, 'parsers/fail2ban/filter.d');

const REFUSED = 'AUTHENTICATE PLAIN: Authentication failed.';

/** Failed logins whose client, 192.0.2.1, is banned, and the ids of their sessions. */
const BANNED: readonly (readonly [what: string, words: string, id?: string])[] = [
  ['an address', `a against h from 192.0.2.1. ${REFUSED}`],
  ['no session id', `a against h from 192.0.2.1. ${REFUSED}`, ''],
  ['a session id of base 32', `a against h from 192.0.2.1. ${REFUSED}`, '<7hnje4ei> '],
  ['a session id of base 64', `a against h from 192.0.2.1. ${REFUSED}`, '<ZZ,-09az> '],
  ['a proxy', `a against h from 192.0.2.1 (X-Real-IP: 192.0.2.9,X-Forwarded-For: b). ${REFUSED}`],
  [
    'a header that says that the server is down',
    `a against h from 192.0.2.1 (X-Forwarded-For: b). Could not connect to h). ${REFUSED}`,
  ],
  ['no mail server, before 1.4', `a from 192.0.2.1. ${REFUSED}`],
  ['headers without a space, before 1.5', `a against h from 192.0.2.1(X-Real-IP: 192.0.2.9). ${REFUSED}`],
  ['words in the user name', `sent from home against h from 192.0.2.1. ${REFUSED}`],
];

/** Failed logins for which nobody is banned. */
const SPARED: readonly (readonly [what: string, words: string])[] = [
  ['a mail server that is down', 'a against h from 192.0.2.1. Could not connect to h:143: Connection refused'],
  ['another address in the user name', `x against h from 192.0.2.7. y against h from 192.0.2.1. ${REFUSED}`],
  ['another address in the user name, before 1.4', `x from 192.0.2.7. y from 192.0.2.1. ${REFUSED}`],
  ['another address in a header', `a against h from 192.0.2.1 (X-Forwarded-For: x against h from 192.0.2.7. y). ${REFUSED}`],
];

describeWith(FAIL2BAN.needs, FAIL2BAN.name, () => {
  test('a jail bans the addresses of three failed logins, and no others', async () => {
    const folder = folderWithLog();
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

  test('clients of failed logins of all versions are found, and nobody who is not to blame', async () => {
    const cwd = makeFolder();
    const addressOf = (index: number): string => `${index % 2 === 0 ? '192.0.2.' : '2001:db8::'}${String(20 + index)}`;
    const lines = [...BANNED, ...SPARED].map(([, words, id = '<d8000273> '], index) =>
      `[22-Nov-2026 01:28:18 +0100]: ${id}IMAP Error: Login failed for ${words} in /r/program/lib/Roundcube/rcube_imap.php on line 211 (POST /mail/?_task=login&_action=login)\n`.replace(
        'from 192.0.2.1',
        `from ${addressOf(index)}`,
      ),
    );
    writeFileSync(join(cwd, 'log'), lines.join(''));
    const { stdout } = await runShell(`fail2ban-regex -o ip log "${FILTERS}/webmail-diaglog-logins.conf"`, { cwd });
    const found = stdout.trim().split('\n');
    expect(BANNED.filter((_, index) => !found.includes(addressOf(index))).map(([what]) => what)).toEqual([]);
    expect(found.length).toBe(BANNED.length);
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
