import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../../src/log/deployment.js';
import { formatGroup } from '../../../src/log/group.js';
import { parseRecord } from '../../../src/log/line.js';
import { expectRefused } from '../../support/call.js';
import { makeFolder, outcome, run, startRun, startShell } from '../../support/run.js';
import { addressIn, addressOf, saidBy } from '../../support/service.js';
import { until } from '../../support/until.js';

const SPECIFIED = createDeployment();
const RECORDS = 8;

/** Sends requests, so many at a time, and gives their statuses in the order of the targets. */
async function getAll(address: string, targets: readonly string[], concurrency: number): Promise<number[]> {
  const statuses: number[] = [];
  const left = targets.entries();
  const client = async (): Promise<void> => {
    for (const [index, target] of left) {
      const response = await fetch(new URL(target, address));
      await response.text();
      statuses[index] = response.status;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return statuses;
}

/** The Unix second of the load failure that a log begins with. */
function secondOf(log: string): number {
  const record = parseRecord(log.split('\n', 1)[0] ?? '');
  return record?.kind === 'load_failure' ? record.second : NaN;
}

/**
 * The targets of a log, in its order, provided that it is nothing but whole groups of GET requests in order of time, byte for
 * byte those that `formatGroup` gives.
 */
function targetsOf(log: string): string[] {
  const records = log.split('\n');
  expect(records.pop()).toBe('');
  const targets: string[] = [];
  let latest = 0;
  for (let index = 0; index < records.length; index += RECORDS) {
    const group = records.slice(index, index + RECORDS).map((record) => `${record}\n`);
    const target = / \(GET (\S+)\)\n$/.exec(group[0] ?? '')?.[1] ?? '';
    const second = secondOf(group[0] ?? '');
    expect(group.join('')).toBe(formatGroup({ millisecond: second * 1000, method: 'GET', target }, SPECIFIED));
    expect(second).toBeGreaterThanOrEqual(latest);
    latest = second;
    targets.push(target);
  }
  return targets;
}

describe('serve', () => {
  test('end to end: the log holds exactly the requests that were sent, each once', async () => {
    const log = join(makeFolder(), 'error.log');
    const child = startRun(['serve', '--port', '0', '-o', log]);
    const address = await addressOf(child);
    const prefixes = ['mail', 'poczta', 'webmail/index.php', 'poczta/public_html/index.php'];
    const targets = Array.from({ length: 600 }, (_, n) => `/${prefixes[n % 4] ?? ''}${n % 4 < 2 ? '/' : ''}?n=${String(n)}`);
    const mixed = targets.flatMap((target, n) => (n % 10 === 0 ? [target, `/other?n=${String(n)}`] : [target]));
    const statuses = await getAll(address, mixed, 20);
    expect(statuses).toEqual(mixed.map((target) => (target.startsWith('/other') ? 404 : 200)));
    child.kill('SIGTERM');
    expect(await outcome(child)).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'webmail-diaglog: ended by SIGTERM (600 groups written)\n',
    });
    const logged = targetsOf(readFileSync(log, 'latin1'));
    expect(logged.toSorted()).toEqual(targets.toSorted());
    const checked = await run(['check', log]);
    expect(checked).toMatchObject({ exit: 0, stdout: `${log}: 0 violations in 600 groups, 4800 lines\n`, stderr: '' });
    const parsed = await run(['parse', log]);
    expect(
      parsed.stdout
        .split('\n')
        .slice(1, -1)
        .map((row) => row.split(',')[2]),
    ).toEqual(logged);
  });

  test('writes to stdout, shows the present second, and ends by SIGINT with exit 0', async () => {
    const child = startRun('serve --port 0');
    const address = await addressOf(child);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const before = Math.floor(Date.now() / 1000);
    const page = await (await fetch(new URL('/mail/', address))).text();
    const after = Math.floor(Date.now() / 1000);
    child.kill('SIGINT');
    const { exit, stdout, stderr } = await outcome(child);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'webmail-diaglog: ended by SIGINT (1 group written)\n' });
    expect(targetsOf(stdout)).toEqual(['/mail/']);
    expect(page).toContain(`<pre>${stdout}</pre>`);
    const second = secondOf(stdout);
    expect(second).toBeGreaterThanOrEqual(before);
    expect(second).toBeLessThanOrEqual(after);
  });

  test('SIGHUP reopens the file: what was answered before is in the old one, what comes after in the new one', async () => {
    const log = join(makeFolder(), 'error.log');
    const child = startRun(['serve', '--port', '0', '-o', log]);
    const address = await addressOf(child);
    expect(await getAll(address, ['/mail/?n=1', '/mail/?n=2'], 1)).toEqual([200, 200]);
    renameSync(log, `${log}.1`);
    child.kill('SIGHUP');
    await until(() => existsSync(log));
    expect(await getAll(address, ['/mail/?n=3'], 1)).toEqual([200]);
    child.kill('SIGTERM');
    expect(await outcome(child)).toMatchObject({ exit: 0, stderr: 'webmail-diaglog: ended by SIGTERM (3 groups written)\n' });
    expect(targetsOf(readFileSync(`${log}.1`, 'latin1'))).toEqual(['/mail/?n=1', '/mail/?n=2']);
    expect(targetsOf(readFileSync(log, 'latin1'))).toEqual(['/mail/?n=3']);
  });

  test('does not write before the last second of a log that it appends to', async () => {
    const log = join(makeFolder(), 'error.log');
    const last = formatGroup({ millisecond: Date.UTC(2100, 0, 1), method: 'GET', target: '/mail/' }, SPECIFIED);
    writeFileSync(log, last);
    const child = startRun(['serve', '--port', '0', '-o', log]);
    child.stderr?.once('data', (line: Buffer) => {
      expect(line.toString()).toContain('webmail-diaglog: the log ends at 01-Jan-2100 01:00:00 +0100, which is yet to come; ');
    });
    await once(child.stderr ?? child, 'data');
    // Its second line may have come with the first.
    child.stderr?.resume();
    child.kill('SIGTERM');
    expect((await outcome(child)).exit).toBe(0);
    expect(readFileSync(log, 'latin1')).toBe(last);
  });

  test('other prefixes, also with slashes, blanks or twice, and a host in brackets', async () => {
    const child = startRun(['serve', '--port', '0', '--host', '[127.0.0.1]', '--prefixes', 'mail, /apps/post/,/mail/']);
    const said = await saidBy(child);
    expect(said).toContain('for /mail/, /apps/post/\n');
    const statuses = await getAll(addressIn(said), ['/mail/', '/apps/post/', '/apps/post/index.php', '/apps/', '/poczta/'], 1);
    expect(statuses).toEqual([200, 200, 200, 404, 404]);
    child.kill('SIGTERM');
    await outcome(child);
  });

  test('the reader goes away: exit 0, without a word', async () => {
    const child = startRun('serve --port 0');
    const address = await addressOf(child);
    child.stdout?.destroy();
    expect(await getAll(address, ['/mail/'], 1)).toEqual([503]);
    expect(await outcome(child)).toEqual({ exit: 0, stdout: '', stderr: '' });
  });

  test.each(['-o error.log', '>> error.log', '> error.log'])(
    'a file that may not grow (%s): 503, said once, until it has room again; groups stay whole',
    async (to) => {
      const cwd = makeFolder();
      const log = join(cwd, 'error.log');
      const child = startShell(`ulimit -f 10; exec "\${program[@]}" serve --port 0 ${to}`, { cwd });
      const address = await addressOf(child);
      const targets = Array.from({ length: 10 }, (_, n) => `/mail/?n=${String(n)}`);
      const room = Math.floor(
        (10 * 1024) / formatGroup({ millisecond: 0, method: 'GET', target: '/mail/?n=0' }, SPECIFIED).length,
      );
      expect(await getAll(address, targets, 1)).toEqual(targets.map((_, n) => (n < room ? 200 : 503)));
      expect(targetsOf(readFileSync(log, 'latin1'))).toEqual(targets.slice(0, room));
      truncateSync(log);
      expect(await getAll(address, targets.slice(0, room), 1)).toEqual(targets.slice(0, room).map(() => 200));
      child.kill('SIGTERM');
      expect(await outcome(child)).toMatchObject({
        exit: 0,
        stderr: [
          `${to.startsWith('-o') ? 'error.log' : '<stdout>'}: the file would exceed the size limit; until it takes groups again, requests are answered with 503`,
          `${to.startsWith('-o') ? 'error.log' : '<stdout>'}: it takes groups again; ${String(10 - room)} requests were answered with 503`,
          `ended by SIGTERM (${String(2 * room)} groups written)`,
        ]
          .map((line) => `webmail-diaglog: ${line}\n`)
          .join(''),
      });
      expect(targetsOf(readFileSync(log, 'latin1'))).toEqual(targets.slice(0, room));
    },
  );
});

describe('a call of serve that is at fault', () => {
  test('is exit 2, and one line says why', async () => {
    await expectRefused('serve --port 0', makeFolder(), {
      '--port 65536': '--port: "65536" is not a port number; give a number from 0 to 65535',
      '--port http': '--port: "http" is not a port number; give a number from 0 to 65535',
      "--port ''": '--port: "" is not a port number; give a number from 0 to 65535',
      "--host ''": '--host: the host is empty; give a name or an address of this machine',
      '--host no.such.host.invalid': '--host: "no.such.host.invalid" does not resolve; give a name or an address of this machine',
      "--prefixes ''": '--prefixes: "" is empty; give prefixes such as mail,webmail',
      '--prefixes mail,/': '--prefixes: "/" is empty; give prefixes such as mail,webmail',
      "--prefixes 'mail,a b'": '--prefixes: "a b" holds a space or a control character; percent-encode it (a space is %20)',
      "--prefixes 'a\nb'": '--prefixes: "a\\nb" holds a space or a control character; percent-encode it (a space is %20)',
      [`--prefixes ${'/'.repeat(100_000)}a`]: `--prefixes: "${'/'.repeat(60)}…" is longer than 4096 characters; give a shorter path`,
      '--prefixes a?b': '--prefixes: "a?b" holds ? or #, which end a path; give the path alone',
      '--prefixes żółw': '--prefixes: "żółw" contains a character that is not ASCII; percent-encode it, as clients send it',
      '--host 192.0.2.1': '--host: "192.0.2.1" is not an address of this machine; give one of its own, such as 127.0.0.1',
      '-o no/where.log': 'no/where.log: its folder does not exist; make the folder, or check the path',
      '--timezone x': '--timezone: "x" is not a time zone that this Node knows; give an IANA name such as Europe/Warsaw',
    });
  });

  test('a port in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    const port = typeof bound === 'object' ? String(bound?.port) : '';
    const { exit, stderr } = await run(['serve', '--port', port]);
    server.close();
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: `webmail-diaglog: --port: port ${port} of "127.0.0.1" is in use; give another, or 0 for any free one\n`,
    });
  });
});
