import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../support/http.js';
import { describeWith } from '../support/programs.js';
import { makeFolder, outcome, startRun } from '../support/run.js';
import { until } from '../support/until.js';
import { RSYSLOG, SYSLOG_NG, type Collector } from './collectors.js';
import { summaryIn } from './delivery.js';
import { endProgram, isBound, listening, startProgram } from './programs.js';

/** How records go to a relay and from it: over TCP in one of both framings, or over UDP. */
type Way = 'lf' | 'octet' | 'udp';
const WAYS: readonly Way[] = ['lf', 'octet', 'udp'];

/** A relay: takes what comes to a port, and sends it to another one. */
interface Relay {
  readonly collector: Collector;
  readonly configure: (from: number, to: number, way: Way) => string;
}

const RELAYS: readonly Relay[] = [
  {
    collector: RSYSLOG,
    configure: (from, to, way) => `
      global(maxMessageSize="2m")
      module(load="${way === 'udp' ? 'imudp' : 'imtcp'}")
      input(type="${way === 'udp' ? 'imudp' : 'imtcp'}" port="${String(from)}" ruleset="relay")
      template(name="raw" type="string" string="%rawmsg%${way === 'lf' ? '\\n' : ''}")
      ruleset(name="relay" queue.type="direct") {
        action(type="omfwd" target="127.0.0.1" port="${String(to)}" protocol="${way === 'udp' ? 'udp' : 'tcp'}" template="raw"
          tcp_framing="${way === 'octet' ? 'octet-counted' : 'traditional'}"
          action.resumeRetryCount="-1" action.resumeInterval="1")
      }
    `,
  },
  {
    collector: SYSLOG_NG,
    // syslog() counts octets. It writes headers of RFC 5424 before what it forwards, so network() is given a length as text.
    configure: (from, to, way) => `@version: 3.38
      source s_in { ${way === 'octet' ? 'syslog' : 'network'}(ip("127.0.0.1") port(${String(from)})
        transport("${way === 'udp' ? 'udp' : 'tcp'}") flags(no-parse)); };
      destination d_out { network("127.0.0.1" port(${String(to)}) transport("${way === 'udp' ? 'udp' : 'tcp'}")
        template("${{ lf: '$MSG\\n', octet: '$(length $MSG) $MSG', udp: '$MSG' }[way]}") time-reopen(1)); };
      log { source(s_in); destination(d_out); flags(flow-control); };
    `,
  },
];

/** Waits until `receive` has said its port. */
async function portOf(child: ChildProcess): Promise<number> {
  for await (const chunk of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    const port = /(?:tcp|udp):\/\/127\.0\.0\.1:(\d+)/.exec(String(chunk))?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('it does not listen');
}

/** The summary of a canary whose records go through a relay into `receive`. */
async function loop({ collector, configure }: Relay, way: Way, restarts: boolean): Promise<Readonly<Record<string, unknown>>> {
  const folder = makeFolder();
  mkdirSync(join(folder, 'state'));
  const scheme = way === 'udp' ? 'udp' : 'tcp';
  const receiver = startRun(['receive', `--${scheme}`, '0', '-o', 'received.ndjson'], { cwd: folder });
  const [from, to] = [await freePort(), await portOf(receiver)];
  writeFileSync(join(folder, 'conf'), configure(from, to, way));
  const start = async (): Promise<ChildProcess> => {
    const relay = startProgram(collector.args(folder), folder);
    await (way === 'udp' ? until(() => isBound(from)) : listening(from));
    return relay;
  };
  const relay = await start();
  const options = ['--field', 'message', '--rate', '50', '--duration', '8s', '--late', '5s', '--json'];
  const framing = way === 'udp' ? [] : ['--framing', way];
  const address = `${scheme}://127.0.0.1:${String(from)}`;
  const canary = startRun(['canary', address, 'received.ndjson', ...options, ...framing], { cwd: folder });
  const ended = outcome(canary);
  if (restarts) {
    await setTimeout(3000);
    await endProgram(relay, 'SIGTERM');
    await start();
  }
  const { stdout } = await ended;
  receiver.kill('SIGTERM');
  await outcome(receiver);
  return summaryIn(stdout);
}

for (const relay of RELAYS) {
  const { name, needs } = relay.collector;
  describeWith(needs, `a canary through ${name} into receive`, () => {
    const summaries = new Map<string, Readonly<Record<string, unknown>>>();
    beforeAll(async () => {
      const runs = WAYS.flatMap((way) => [false, true].map((restarts) => ({ way, restarts })));
      await Promise.all(
        runs.map(async ({ way, restarts }) => summaries.set(`${way} ${String(restarts)}`, await loop(relay, way, restarts))),
      );
    });

    test.each(WAYS)('everything arrives, in order: %s', (way) => {
      const none = { missing: 0, duplicated: 0, altered: 0, reordered: 0, foreign: 0, reconnects: 0 };
      expect(summaries.get(`${way} false`)).toMatchObject(none);
    });

    test.each(WAYS)('a restart of the collector costs no more than the groups that it took with it: %s', (way) => {
      const summary = summaries.get(`${way} true`);
      expect(summary).toMatchObject({ duplicated: 0, altered: 0, foreign: 0, reconnects: way === 'udp' ? 0 : 1 });
      // Over TCP whole groups are lost, at most those of a second; over UDP what is sent while nothing listens.
      const missing = Number(summary?.['missing']);
      if (way !== 'udp') expect(missing % 8).toBe(0);
      expect(missing).toBeLessThanOrEqual(way === 'udp' ? 1600 : 400);
    });
  });
}
