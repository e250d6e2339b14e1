import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { call } from '../support/call.js';
import { expectRefused } from '../support/run-each.js';
import { makeFolder, runShell } from '../support/run.js';

const ENVELOPES = ['docker', 'cri', 'syslog', 'rfc3164', 'rfc5424'];

const noteOfZone = (zone: string): string =>
  `webmail-diaglog: e.log: its stamps show no year and no zone, and were read as the latest times of ${zone}; set TZ for another zone\n`;

describe('--envelope', () => {
  test.each(ENVELOPES)('%s: what synth writes, with faults and in pieces too, parse and check read', async (envelope) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'file.json'), '{"driver": "file"}');
    const list = (await call(['synth', '--as', 'requests', '--count', '300'], { cwd })).stdout;
    writeFileSync(join(cwd, 'list.csv'), `${list}2025-06-18T00:00:00+02:00,GET,/mail/?q=${'x'.repeat(40_000)}\n`);
    const options = ['--deployment', 'file.json', '--envelope', envelope, 'list.csv'];
    const plain = await call(['replay', 'list.csv'], { cwd });
    const enveloped = await call(['replay', ...options], { cwd });
    writeFileSync(join(cwd, 'plain.log'), plain.stdout, 'latin1');
    writeFileSync(join(cwd, 'enveloped.log'), enveloped.stdout, 'latin1');
    expect(enveloped.stdout).not.toBe(plain.stdout);
    for (const command of ['parse', 'check', 'stats']) {
      const results = [await call([command, 'enveloped.log'], { cwd }), await call([command, 'plain.log'], { cwd })];
      const [read, expected] = results.map(({ exit, stdout }) => ({
        exit,
        stdout: stdout.replaceAll(/(enveloped|plain)\.log/g, 'x.log'),
      }));
      if (command !== 'check') expect(read).toEqual(expected);
    }
    const faults = ['--faults', 'missing:0.02,swapped:0.02', '--fault-seed', '3'];
    const broken = [
      await call(['replay', ...faults, 'list.csv'], { cwd }),
      await call(['replay', ...faults, ...options], { cwd }),
    ];
    const checked = [];
    for (const { stdout } of broken)
      checked.push((await call(['check', '--json', '--max', '0'], { cwd, stdin: stdout })).stdout.replace(/"lines":\d+/, ''));
    expect(checked[1]).toBe(checked[0]);
  });

  test.each([
    ['docker', { driver: 'stdout', deprecation: false }],
    ['syslog', undefined],
    ['rfc5424', { timezone: 'Asia/Kolkata' }],
  ])('%s: records without stamps have that of the envelope, and break no rule about stamps', async (envelope, deployment) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'site.json'), JSON.stringify(deployment ?? {}));
    const { stdout } = await runShell(
      `webmail-diaglog synth --deployment site.json --envelope ${envelope} --from 2026-01-01 --count 100 > e.log; ` +
        `webmail-diaglog check --deployment site.json --timezone UTC e.log; webmail-diaglog parse --as records e.log | grep -c load_failure; ` +
        `webmail-diaglog synth --deployment site.json --envelope ${envelope} --from 2026-01-01 --faults missing:0.1 --count 100 | webmail-diaglog check --deployment site.json | tail -n 1`,
      { cwd },
    );
    const [clean, rows, broken] = stdout.split('\n');
    expect(clean).toMatch(/^e\.log: 0 violations in 100 groups/);
    expect(rows).toBe('700');
    expect(broken).toMatch(/: [1-9]\d* violations/);
    expect(readFileSync(join(cwd, 'e.log'), 'utf8')).not.toContain('[0');
  });

  test.each([
    ['docker', { driver: 'stdout', deprecation: false, timezone: 'UTC' }, []],
    ['rfc5424', { timezone: 'Asia/Tokyo' }, []],
    ['syslog', { timezone: 'UTC', dialect: 'php' }, ['UTC', 'UTC', 'UTC']],
  ])('%s: --as deployment prints the driver, and the round trip holds to the second', async (envelope, deployment, zones) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'site.json'), JSON.stringify(deployment));
    const { stdout, stderr } = await runShell(
      `export TZ=UTC; webmail-diaglog synth --deployment site.json --envelope ${envelope} --from 2026-01-01 --count 50 > e.log; ` +
        `webmail-diaglog parse --as deployment e.log > found.json; webmail-diaglog parse e.log > rows.csv; webmail-diaglog check --infer e.log; ` +
        `webmail-diaglog replay --order keep --envelope ${envelope} --deployment found.json rows.csv > back.log; ` +
        `for f in e.log back.log; do sed 's/\\.[0-9]*\\(Z\\|+\\)/\\1/' $f > s.$f; done; cmp s.e.log s.back.log`,
      { cwd },
    );
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^e\.log: 0 violations in 50 groups, \d+ lines\n$/),
      stderr: zones.map(noteOfZone).join(''),
    });
  });

  test('stamps without a year and a zone are named once a run; not where a zone was given, nor beside stamps of the webmail', async () => {
    const cwd = makeFolder();
    const { stderr } = await runShell(
      `export TZ=Europe/Warsaw; webmail-diaglog synth --envelope rfc3164 --count 5 > e.log; webmail-diaglog stats e.log; ` +
        `webmail-diaglog stats --html e.html e.log; webmail-diaglog check e.log; ` +
        `echo '{"driver":"file"}' > site.json; webmail-diaglog synth --deployment site.json --envelope rfc3164 --count 5 | webmail-diaglog parse`,
      { cwd },
    );
    expect(stderr).toBe(noteOfZone('Europe/Warsaw').repeat(2));
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

  test('documents, messages and places name the line of the first piece', async () => {
    const cwd = makeFolder();
    writeFileSync(
      join(cwd, 'list.csv'),
      `timestamp,target\n2025-05-18T12:00:00,/mail/?q=${'x'.repeat(40_000)}\n2025-05-18T12:00:01,/mail/\n`,
    );
    const { stdout } = await runShell(
      `webmail-diaglog replay --envelope cri list.csv > x.log; webmail-diaglog parse --as records x.log | grep -o '"line":[0-9]*' | tr '\\n' ' '; ` +
        `sed '25s/193/7/' x.log | webmail-diaglog check | head -n 1 | cut -d : -f 1-3`,
      { cwd },
    );
    expect(stdout).toBe(
      `${[1, 4, 7, 10, 13, 16, 19, 22, 23, 24, 25, 26, 27, 28, 29, 30].map((line) => `"line":${String(line)} `).join('')}<stdin>:25: line-number\n`,
    );
  });

  test('a log in another envelope than the one that is insisted on is refused; none reads lines as they are', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'x.log'), (await call(['synth', '--envelope', 'cri', '--count', '2'], { cwd })).stdout);
    expect(await call(['parse', '--envelope', 'docker', 'x.log'], { cwd })).toMatchObject({
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
    expect(await call(['stats', '--envelope', 'cri', 'x.log'], { cwd })).toMatchObject({ exit: 0 });
  });

  test('lines that share an unknown prefix, or have no time, are named so, with the remedy', async () => {
    const cwd = makeFolder();
    const { stdout } = await runShell(
      `webmail-diaglog synth --count 2 > s.log; sed 's/^/web[1]  | /' s.log > prefix.log; sed 's/^\\[[^]]*\\]: /errors: /; /Deprecated/d' s.log > bare.log; ` +
        `echo 'errors: <e30816ed> IMAP Error: x' >> bare.log; sed '3s/^/x /' prefix.log > mixed.log; sed 's/^/web-1  | /' bare.log > compose.log; ` +
        `echo 'db-1   | ready' >> compose.log; sed 's/^/web-1   | 2025-05-18T10:00:00Z /' bare.log | head -7 > times.log; ` +
        `sed 's/PHP/php/' s.log > tag.log; for f in prefix times bare compose mixed tag; do for command in parse check; do webmail-diaglog $command $f.log 2>&1 > /dev/null | sed 's/.*[.]log: [^;]*; //; s/ | webmail-diaglog .*//'; done; done; ` +
        `LC_ALL=C sed 's/^.\\{10\\}//' prefix.log | cmp - s.log`,
      { cwd },
    );
    const prefix = `each line has "web[1]  | " before the record, take it off: LC_ALL=C sed 's/^.\\{10\\}//' FILE`;
    const times = 'the records have no time, take the log with one: docker logs --timestamps CONTAINER';
    expect(stdout.split('\n')).toEqual([
      ...[prefix, prefix, prefix.replace('web[1]', 'web-1 '), prefix.replace('web[1]', 'web-1 '), times, times, times, times],
      ...['no line is a record, check the file', 'check the file', ''],
    ]);
  });

  test('a log in an envelope is not replaced by a page, and not continued with earlier requests', async () => {
    const cwd = makeFolder();
    const { stdout } = await runShell(
      `webmail-diaglog synth --envelope docker --count 20 > x.log; webmail-diaglog stats --html x.log x.log 2>&1; ` +
        `webmail-diaglog synth --as requests --from 2025-01-01 --count 1 | webmail-diaglog replay --envelope docker -o x.log 2>&1; wc -l < x.log`,
      { cwd },
    );
    expect(stdout).toMatch(
      /is a log, and the page would replace it.*\n.* of the last load failure in x\.log.*\n160\n$|the output is the input file/s,
    );
    expect(stdout).toMatch(/of the last load failure in x\.log/);
  });

  test('calls that are refused', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'stdout.json'), '{"driver": "stdout", "deprecation": false}');
    writeFileSync(join(cwd, 'both.json'), '{"driver": "stdout"}');
    await expectRefused(
      { command: 'synth', cwd },
      {
        '--deployment stdout.json': 'stdout.json: the driver stdout writes no time; give --envelope too',
        '--deployment stdout.json --envelope none': 'stdout.json: the driver stdout writes no time; give --envelope too',
        '--deployment both.json --envelope docker':
          'both.json: "driver" is stdout, where deprecation records go to the log of the server; give "deprecation": false too',
        '--envelope docker --as requests': '--envelope: a request list has none; leave it out, or give --as log',
      },
    );
  });
});
