import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { makeFolder, outcome, run, startRun } from '../support/run.js';
import { RSYSLOG, SYSLOG_NG } from './collectors.js';
import { endProgram, startProgram } from './programs.js';

/** A relay: takes what comes to a port, and sends it to another one. */
interface Relay {
  readonly configure: (ports: { readonly from: number; readonly to: number }, framing: string) => string;
  readonly args: readonly string[];
}

const RELAYS: Readonly<Record<string, Relay & { readonly needs: readonly string[]; readonly framings: readonly string[] }>> = {
  rsyslog: {
    needs: RSYSLOG.needs,
    framings: ['lf', 'octet'],
    configure: ({ from, to }, framing) => `
      global(maxMessageSize="2m")
      module(load="imtcp")
      input(type="imtcp" port="${String(from)}" ruleset="relay")
      template(name="raw" type="string" string="%rawmsg%${framing === 'lf' ? '\\n' : ''}")
      ruleset(name="relay" queue.type="direct") {
        action(type="omfwd" target="127.0.0.1" port="${String(to)}" protocol="tcp" template="raw"
          tcp_framing="${framing === 'lf' ? 'traditional' : 'octet-counted'}"
          action.resumeRetryCount="-1" action.resumeInterval="1")
      }
    `,
    args: ['rsyslogd', '-n', '-f', 'conf', '-i', 'pid'],
  },
  'syslog-ng': {
    needs: SYSLOG_NG.needs,
    framings: ['lf'],
    configure: ({ from, to }) => `@version: 3.38
      source s_tcp { network(ip("127.0.0.1") port(${String(from)}) transport("tcp") flags(no-parse)); };
      destination d_tcp { network("127.0.0.1" port(${String(to)}) transport("tcp") template("$MSG\\n") time-reopen(1)); };
      log { source(s_tcp); destination(d_tcp); flags(flow-control); };
    `,
    args: ['syslog-ng', '--foreground', '--no-caps', '--cfgfile', 'conf', '--persist-file', 'persist', '--control', 'control'],
  },
};

/** A port that is free. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Waits until `receive --tcp` has said its port. */
async function portOf(child: ChildProcess): Promise<number> {
  for await (const chunk of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    const port = /tcp:\/\/127\.0\.0\.1:(\d+)/.exec(String(chunk))?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('it does not listen');
}

/** Resolves once something listens on a port. */
async function listening(port: number): Promise<void> {
  const isRefused = async (): Promise<boolean> =>
    (await run(['synth', '--count', '0', '-o', `tcp://127.0.0.1:${String(port)}`])).exit !== 0;
  while (await isRefused());
}

for (const [name, { needs, framings, configure, args }] of Object.entries(RELAYS)) {
  describeWith(needs, `a canary over TCP through ${name} into receive`, () => {
    const loop = async (framing: string, work: (relay: ChildProcess, start: () => Promise<ChildProcess>) => Promise<void>) => {
      const folder = makeFolder();
      const receiver = startRun(['receive', '--tcp', '0', '-o', 'received.ndjson'], { cwd: folder });
      const ports = { from: await freePort(), to: await portOf(receiver) };
      writeFileSync(join(folder, 'conf'), configure(ports, framing));
      const start = async (): Promise<ChildProcess> => {
        const relay = startProgram(args, folder);
        await listening(ports.from);
        return relay;
      };
      const relay = await start();
      const address = `tcp://127.0.0.1:${String(ports.from)}`;
      const options = ['--field', 'message', '--rate', '50', '--duration', '8s', '--late', '5s', '--framing', framing, '--json'];
      const canary = startRun(['canary', address, 'received.ndjson', ...options], { cwd: folder });
      await work(relay, start);
      const { stdout } = await outcome(canary);
      receiver.kill('SIGTERM');
      await outcome(receiver);
      const summary: unknown = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
      return summary;
    };

    test.each(framings)('everything arrives, in order: %s', async (framing) => {
      const summary = await loop(framing, () => Promise.resolve());
      expect(summary).toMatchObject({ missing: 0, duplicated: 0, altered: 0, reordered: 0, foreign: 0, reconnects: 0 });
    });

    test('a restart of the collector is one reconnect, and costs no more than the groups that it took with it', async () => {
      const summary = await loop('lf', async (relay, start) => {
        await new Promise((resolve) => setTimeout(resolve, 3000));
        await endProgram(relay, 'SIGTERM');
        await start();
      });
      expect(summary).toMatchObject({ duplicated: 0, altered: 0, foreign: 0, reconnects: 1 });
      const missing = typeof summary === 'object' && summary !== null && 'missing' in summary ? Number(summary.missing) : NaN;
      expect(missing % 8).toBe(0);
      expect(missing).toBeLessThanOrEqual(5 * 8);
    });
  });
}
