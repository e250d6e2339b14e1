import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { call, callEach, expectRefused } from '../support/call.js';
import { makeFolder, readBytes, runShell } from '../support/run.js';

const ENVELOPES = ['docker', 'cri', 'syslog', 'rfc3164', 'rfc5424'];

const noteOfZone = (zone: string): string =>
  `webmail-diaglog: e.log: its stamps show no year and no zone, and were read as the latest times of ${zone}; set TZ for another zone\n`;

/** What is read back of a log and of a broken one, written with options from a list with a target of 40,000 bytes. */
async function readBack(options: string): Promise<unknown> {
  const cwd = makeFolder({ 'file.json': '{"driver": "file"}' });
  await call('synth --as requests --count 300 -o list.csv', { cwd });
  appendFileSync(join(cwd, 'list.csv'), `2025-06-18T00:00:00+02:00,GET,/mail/?q=${'x'.repeat(40_000)}\n`);
  const faults = '--faults missing:0.02,swapped:0.02 --fault-seed 3';
  await callEach([`replay ${options} list.csv -o e.log`, `replay ${faults} ${options} list.csv -o broken.log`], { cwd });
  const results = await callEach(['parse e.log', 'stats e.log', 'check --json --max 0 broken.log'], { cwd });
  return results.map(({ exit, stdout }) => ({ exit, stdout: stdout.replace(/"lines":\d+/, '') }));
}

let plain: Promise<unknown> | undefined;

describe('--envelope', () => {
  test.each(ENVELOPES)('%s: what replay writes, with faults and in pieces too, parse, stats and check read', async (envelope) => {
    const enveloped = await readBack(`--deployment file.json --envelope ${envelope}`);
    expect(enveloped).toEqual(await (plain ??= readBack('')));
  });

  test.each([
    ['docker', { driver: 'stdout', deprecation: false }],
    ['rfc5424', { timezone: 'Asia/Kolkata' }],
    ['syslog', { dialect: 'php' }],
  ])(
    '%s: records without stamps have that of the envelope and break no rule; the round trip holds to the second',
    async (envelope, deployment) => {
      const cwd = makeFolder({ 'site.json': JSON.stringify(deployment) });
      const written = `synth --deployment site.json --envelope ${envelope} --from 2026-01-01 --count 50`;
      const calls = [
        `${written} -o e.log`,
        `${written} --faults missing:0.1 -o broken.log`,
        'parse --as deployment e.log -o found.json',
        'parse e.log -o rows.csv',
        `replay --order keep --deployment found.json rows.csv --envelope ${envelope} -o back.log`,
        'check --deployment site.json --timezone UTC e.log',
        'check --infer e.log',
        'check --deployment site.json broken.log',
      ];
      const [, , , , , ...checks] = await callEach(calls, { cwd });
      const [log, back] = ['e.log', 'back.log'].map((name) => readBytes(cwd, name).replaceAll(/\.\d+(?=Z|\+)/g, ''));
      expect(log).not.toContain('[0');
      expect(back).toBe(log);
      const found = [/^e\.log: 0 viol/, /^e\.log: 0 viol/, /: [1-9]\d* viol/];
      expect(checks).toEqual(found.map((text) => expect.objectContaining({ stdout: expect.stringMatching(text) })));
    },
  );

  test('stamps without a year and a zone are named once a run; not where a zone was given, nor beside stamps of the webmail', async () => {
    const cwd = makeFolder();
    const { stderr } = await runShell(
      `export TZ=Europe/Warsaw; webmail-diaglog synth --envelope rfc3164 --count 5 > e.log; webmail-diaglog stats e.log; ` +
        `for TZ in '' UTC0; do webmail-diaglog parse e.log; done; ` +
        `webmail-diaglog stats --html e.html e.log; webmail-diaglog check e.log; ` +
        `echo '{"driver":"file"}' > site.json; webmail-diaglog synth --deployment site.json --envelope rfc3164 --count 5 | webmail-diaglog parse`,
      { cwd },
    );
    expect(stderr).toBe(['Europe/Warsaw', 'UTC', 'UTC', 'UTC'].map(noteOfZone).join(''));
  });

  test('a log of the file driver and one of syslog are read together: deprecation records have their groups', async () => {
    const { stdout } = await runShell(
      `export TZ=Europe/Warsaw; webmail-diaglog synth --from 2026-05-01 --count 4 > a.log; ` +
        `webmail-diaglog synth --from 2026-06-01 --count 4 --envelope syslog > b.log; ` +
        `webmail-diaglog parse --as records b.log a.log | grep -c '"group":[1-8],'; webmail-diaglog check --infer b.log a.log`,
      { cwd: makeFolder() },
    );
    expect(stdout).toBe('64\na.log, b.log: 0 violations in 8 groups, 64 lines\n');
  });

  test.each([
    ['docker', readBytes('fixtures/deployments/official-image.json')],
    ['syslog', readBytes('fixtures/deployments/iredmail.json')],
    ['rfc5424', '{"loaderPath": "/srv/program/include/loader.php", "sessionPath": "/srv/program/include/session.php"}'],
  ])(
    '%s: the log of another installation is named so, though its records have no stamp of their own: %s',
    async (envelope, site) => {
      const cwd = makeFolder({ 'site.json': site });
      const { stdout: log } = await call(`synth --count 30 --envelope ${envelope} --deployment site.json`, { cwd });
      const hint = 'the log is that of another installation, see --infer\n';
      expect((await call('check --max 0', { stdin: log })).stdout).toContain(hint);
      const clean = await call('check --deployment site.json', { cwd, stdin: log });
      expect(clean.stdout).toMatch(/: 0 violations in 30 groups, \d+ lines\n$/);
      // One fault, and no group that the deployment writes with stamps, is no other installation.
      const altered = log.replace('line 193', 'line 194');
      const { stdout } = await call('check --deployment site.json', { cwd, stdin: altered });
      expect(stdout).toMatch(/: 1 violation in 30 groups, \d+ lines: 1 line-number\n$/);
    },
  );

  test('documents and places name the line of the first piece', async () => {
    const stdin = `2025-05-18T12:00:00,/mail/?q=${'x'.repeat(40_000)}\n2025-05-18T12:00:01,/mail/\n`;
    const { stdout: log } = await call('replay --envelope cri', { stdin });
    const { stdout: records } = await call('parse --as records', { stdin: log });
    const lines = [1, 4, 7, 10, 13, 16, 19, 22, 23, 24, 25, 26, 27, 28, 29, 30];
    expect(Array.from(records.matchAll(/"line":(\d+)/g), ([, line]) => Number(line))).toEqual(lines);
    const altered = log.replace(/^((?:.*\n){24}.*)193/, '$17');
    expect((await call('check', { stdin: altered })).stdout).toMatch(
      /^<stdin>:25: line-number.*\n<stdin>: 1 violation in 2 groups, 30/,
    );
  });

  test('a log in another envelope than the one that is insisted on is refused; none reads lines as they are', async () => {
    const cwd = makeFolder();
    await call('synth --envelope cri --count 2 -o x.log', { cwd });
    expect(await call('parse --envelope docker x.log', { cwd })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(
        'x.log:1: the first record is not in the envelope docker; name the envelope that it is in, or leave out --envelope',
      ),
    });
    for (const command of ['parse', 'check', 'stats'])
      expect(await call([command, '--envelope', 'none', 'x.log'], { cwd })).toMatchObject({
        exit: 1,
        stderr: expect.stringMatching(/^webmail-diaglog: x\.log: .*; leave out --envelope: envelopes are recognised\n$/),
      });
    expect(await call('stats --envelope cri x.log', { cwd })).toMatchObject({ exit: 0 });
  });

  test('lines that share an unknown prefix, have no time, are JSON, or in an envelope beyond 64 others, are named so, with the remedy', async () => {
    const { stdout: log } = await call('synth --count 2');
    const behind = (prefix: string, text: string): string => text.replaceAll(/^(?=.)/gm, prefix);
    const bare = log.replaceAll(/.*Deprecated.*\n/g, '').replaceAll(/^\[.*?\]: /gm, 'errors: ');
    const foreign = 'errors: <e30816ed> IMAP Error: x\n';
    const drop = (prefix: string): string =>
      `each line has "${prefix}" before the record, take it off: LC_ALL=C sed 's/^.\\{10\\}//' FILE | webmail-diaglog …\n`;
    const times = 'the records have no time, take the log with one: docker logs --timestamps CONTAINER | webmail-diaglog …\n';
    const late = async (envelope: string): Promise<string> =>
      behind('2025-05-18T10:00:00Z stderr F ', 'ready\n'.repeat(envelope === 'cri' ? 65 : 0)) +
      '{"log":"ready\\n","stream":"stderr","time":"2025-05-18T10:00:00Z"}\n'.repeat(envelope === 'docker' ? 65 : 0) +
      (await call(['synth', '--envelope', envelope, '--count', '2'])).stdout;
    const json = 'the lines are JSON, take the raw line out: jq -r .message FILE | webmail-diaglog …\n';
    const prefixed = behind('web[1]  | ', log);
    for (const [stdin, remedy] of [
      [prefixed, drop('web[1]  | ')],
      [behind('web-1   | 2025-05-18T10:00:00Z ', bare), drop('web-1   | ')],
      [bare + foreign, times],
      [await late('cri'), 'give --envelope cri, if its records are behind more than 64 other lines\n'],
      [await late('docker'), 'give --envelope docker, if its records are behind more than 64 other lines\n'],
      [behind('2025-05-18T10:00:00Z stderr F ', 'ready\n'), 'check the file\n'],
      [log.replaceAll(/.+/g, '{"message":"$&"}'), json],
      [`${behind('web-1  | ', bare + foreign)}db-1   | ready\n`, times],
      [prefixed.replace(/^((?:.*\n){2})/, '$1x '), 'check the file\n'],
      [log.replaceAll('PHP', 'php'), ''],
    ] as const) {
      for (const command of ['parse', 'check', 'parse --as deployment']) {
        const { stderr } = await call(command.split(' '), { stdin });
        expect([stderr.length > 0, stderr]).toEqual([remedy !== '', expect.stringContaining(remedy)]);
      }
    }
  });

  test('a log in an envelope is not continued with earlier requests', async () => {
    const cwd = makeFolder({ 'x.log': '' });
    const long = `2025-05-18T10:00:00Z,/?${'x'.repeat(200_000)}\n`;
    await call('replay --envelope docker -o x.log', { cwd, stdin: long });
    const log = readBytes(cwd, 'x.log');
    const stdin = '2025-01-01T00:00:00Z,/mail/\n';
    const replayed = await call('replay --envelope docker -o x.log', { cwd, stdin });
    expect(replayed.stderr).toContain(' of the last load failure in x.log');
    expect(readBytes(cwd, 'x.log')).toBe(log);
  });

  test('calls that are refused; a list of requests needs no envelope, whatever the driver', async () => {
    const cwd = makeFolder({
      'stdout.json': '{"driver": "stdout", "deprecation": false}',
      'both.json': '{"driver": "stdout"}',
    });
    expect(await call('synth --as requests --deployment stdout.json', { cwd })).toMatchObject({
      exit: 0,
      stderr: '',
    });
    await expectRefused('synth', cwd, {
      '--deployment stdout.json': 'stdout.json: the driver stdout writes no time; give --envelope too',
      '--deployment stdout.json --envelope none': 'stdout.json: the driver stdout writes no time; give --envelope too',
      '--deployment both.json --envelope docker':
        'both.json: "driver" is stdout, where deprecation records go to the log of the server; give "deprecation": false too',
      '--envelope docker --as requests': '--envelope: a request list has none; leave it out, or give --as log',
    });
  });
});
