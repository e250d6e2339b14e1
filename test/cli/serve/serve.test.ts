import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { LogRequest } from '../../../src/log/group.js';
import { readLoggedRequests } from '../../../src/reading/parse.js';
import { chunksOf, collect } from '../../support/bytes.js';
import { expectRefused } from '../../support/call.js';
import { checked } from '../../support/checked.js';
import { makeFolder, outcome, readBytes, type RunResult, startRun, startShell } from '../../support/run.js';
import { addressIn, addressOf, saidBy } from '../../support/service.js';
import { groupAt } from '../../support/records.js';

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

/** The requests of a log, in its order, in which `check` finds nothing but whole groups in order of time. */
async function requestsOf(log: string): Promise<readonly LogRequest[]> {
  expect((await checked(log)).violations).toEqual([]);
  return (await collect(readLoggedRequests(chunksOf(log)))).flat();
}

async function targetsOf(...path: readonly string[]): Promise<readonly string[]> {
  return (await requestsOf(readBytes(...path))).map(({ target }) => target);
}

/** A service of the command line, and a wait for its end by a signal. */
async function startServe(args: string, cwd = makeFolder()) {
  const child = startRun(`serve --port 0 ${args}`, { cwd });
  const said = await saidBy(child);
  const end = (signal: NodeJS.Signals): Promise<RunResult> => {
    child.kill(signal);
    return outcome(child);
  };
  return { child, cwd, said, address: addressIn(said), end };
}

describe('serve', () => {
  test('end to end: the log holds exactly the requests that were sent, each once', async () => {
    const { cwd, address, end } = await startServe('-o error.log');
    const prefixes = ['mail', 'poczta', 'webmail/index.php', 'poczta/public_html/index.php'];
    const targets = Array.from({ length: 600 }, (_, n) => `/${prefixes[n % 4] ?? ''}${n % 4 < 2 ? '/' : ''}?n=${String(n)}`);
    const mixed = targets.flatMap((target, n) => (n % 10 === 0 ? [target, `/other?n=${String(n)}`] : [target]));
    expect(await getAll(address, mixed, 20)).toEqual(mixed.map((target) => (target.startsWith('/other') ? 404 : 200)));
    const stderr = 'webmail-diaglog: ended by SIGTERM (600 groups written)\n';
    expect(await end('SIGTERM')).toEqual({ exit: 0, stdout: '', stderr });
    expect((await targetsOf(cwd, 'error.log')).toSorted()).toEqual(targets.toSorted());
  });

  test('writes to stdout, shows the present second, and ends by SIGINT with exit 0', async () => {
    const { address, end } = await startServe('');
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const before = Math.floor(Date.now() / 1000);
    const page = await (await fetch(new URL('/mail/', address))).text();
    const after = Math.floor(Date.now() / 1000);
    const { exit, stdout, stderr } = await end('SIGINT');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'webmail-diaglog: ended by SIGINT (1 group written)\n' });
    expect(page).toContain(`<pre>${stdout}</pre>`);
    const [{ target, millisecond } = { target: '', millisecond: 0 }, ...others] = await requestsOf(stdout);
    expect({ target, others }).toEqual({ target: '/mail/', others: [] });
    expect(millisecond / 1000).toBeGreaterThanOrEqual(before);
    expect(millisecond / 1000).toBeLessThanOrEqual(after);
  });

  test('other prefixes, also with slashes or twice, and a host in brackets', async () => {
    const { said, address, end } = await startServe("--host [127.0.0.1] --prefixes 'mail, /apps/post/,/mail/'");
    expect(said).toContain('for /mail/, /apps/post/\n');
    const statuses = await getAll(address, ['/mail/', '/apps/post/', '/apps/post/index.php', '/apps/', '/poczta/'], 1);
    expect(statuses).toEqual([200, 200, 200, 404, 404]);
    await end('SIGTERM');
  });

  test('the reader goes away: exit 0, without a word', async () => {
    const { child, address } = await startServe('');
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
      const room = Math.floor((10 * 1024) / groupAt(0, '/mail/?n=0').length);
      expect(await getAll(address, targets, 1)).toEqual(targets.map((_, n) => (n < room ? 200 : 503)));
      expect(await targetsOf(log)).toEqual(targets.slice(0, room));
      truncateSync(log);
      expect(await getAll(address, targets.slice(0, room), 1)).toEqual(targets.slice(0, room).map(() => 200));
      child.kill('SIGTERM');
      const name = to.startsWith('-o') ? 'error.log' : '<stdout>';
      const lines = [
        `${name}: the file would exceed the size limit; until it takes groups again, requests are answered with 503`,
        `${name}: it takes groups again; ${String(10 - room)} requests were answered with 503`,
        `ended by SIGTERM (${String(2 * room)} groups written)`,
      ];
      const stderr = lines.map((line) => `webmail-diaglog: ${line}\n`).join('');
      expect(await outcome(child)).toMatchObject({ exit: 0, stderr });
      expect(await targetsOf(log)).toEqual(targets.slice(0, room));
    },
  );
});

describe('a call of serve that is at fault', () => {
  test('is exit 2, and one line says why', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    const port = typeof bound === 'object' ? String(bound?.port) : '';
    const noPrefix =
      'is not a path prefix; give it as clients send it, percent-encoded (a space is %20) and without ? and #, such as mail,webmail';
    await expectRefused('serve --port 0', makeFolder(), {
      '--port 65536': '--port: "65536" is not a port number; give a number from 0 to 65535',
      "--host ''": '--host: the host is empty; give a name or an address of this machine',
      '--host no.such.host.invalid': '--host: "no.such.host.invalid" does not resolve; give a name or an address of this machine',
      "--prefixes ''": `--prefixes: "" ${noPrefix}`,
      "--prefixes 'mail,a b'": `--prefixes: "a b" ${noPrefix}`,
      '--prefixes a?b': `--prefixes: "a?b" ${noPrefix}`,
      '--host 192.0.2.1': '--host: "192.0.2.1" is not an address of this machine; give one of its own, such as 127.0.0.1',
      [`--port ${port}`]: `--port: port ${port} of "127.0.0.1" is in use; give another, or 0 for any free one`,
    });
    server.close();
  });
});
