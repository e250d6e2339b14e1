import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { makeFolder, outcome, run, runShell, startRun } from '../support/run.js';
import { LOG, RECORDS, RSYSLOG, SYSLOG_NG, whileCollecting, type Collector } from './collectors.js';

/** The ways in which logrotate rotates the log, each in a table of docs/collectors.md. */
type How = 'create' | 'create, then HUP' | 'copytruncate' | 'create, while it is down';

/** The records that a collector loses, at least and at most, of some 4,800 in three rotations. */
type Lost = readonly [least: number, most: number];

interface Known {
  readonly collector: Collector;
  readonly lost: Readonly<Partial<Record<How, Lost>>>;
}

const NONE: Lost = [0, 0];
const SOME: Lost = [1, 4800];

/** Also reads files that were rotated, which match its path too: lines come twice. */
const RSYSLOG_ALL: Collector = {
  ...RSYSLOG,
  name: 'rsyslog with file="error.log*"',
  change: (configuration) => configuration.replace('/error.log"', '/error.log*"'),
};

const SYSLOG_NG_ALL: Collector = {
  ...SYSLOG_NG,
  name: 'syslog-ng with wildcard-file()',
  change: (configuration) =>
    configuration.replace(
      'file("/var/log/webmail/error.log"',
      'wildcard-file(base-dir("/var/log/webmail") filename-pattern("error.log*") monitor-method(poll)',
    ),
  paths: (folder) => ({ '"/var/log/webmail"': `"${folder}"` }),
};

const KNOWN: readonly Known[] = [
  {
    collector: RSYSLOG,
    // What the writer still writes to the renamed file is lost.
    lost: { create: SOME, 'create, then HUP': [0, 500], copytruncate: [0, 500], 'create, while it is down': SOME },
  },
  { collector: RSYSLOG_ALL, lost: { create: NONE, 'create, while it is down': NONE } },
  {
    collector: SYSLOG_NG,
    lost: { create: NONE, 'create, then HUP': NONE, copytruncate: [0, 1000], 'create, while it is down': SOME },
  },
  { collector: SYSLOG_NG_ALL, lost: { create: NONE, 'create, while it is down': NONE } },
];

/** A writer opens the renamed log anew within a second, or at once on SIGHUP. */
const WRITER = ['synth', '--live', '--rate', '50', '--duration', '12s', '--mark', 'r', '-o', LOG, '--tee', 'sent.log'] as const;

/** Has logrotate rotate the log of a folder. */
async function rotate(folder: string, how: string, writer: number | undefined): Promise<void> {
  const directive = how === 'copytruncate' ? 'copytruncate' : 'create';
  const script = how === 'create, then HUP' ? `postrotate\n kill -HUP ${String(writer)}\n endscript` : '';
  writeFileSync(join(folder, 'rotate'), `${join(folder, LOG)} {\n su root root\n rotate 9\n ${directive}\n ${script}\n}\n`);
  const { exit, stderr } = await runShell('logrotate -f -s rotate.state rotate', { cwd: folder });
  if (exit !== 0) throw new Error(stderr);
}

/** The counts of what arrived of a log that is rotated three times while it is written. */
async function deliver(collector: Collector, how: string): Promise<ReadonlyMap<string, unknown>> {
  const folder = makeFolder();
  writeFileSync(join(folder, LOG), '');
  return whileCollecting(collector, folder, async (running) => {
    const writer = startRun(WRITER, { cwd: folder });
    const written = outcome(writer);
    for (let rotation = 0; rotation < 3; rotation += 1) {
      await setTimeout(2500);
      if (how === 'create, while it is down') await running.end('SIGTERM');
      await setTimeout(500);
      await rotate(folder, how, writer.pid);
      await setTimeout(500);
      if (how === 'create, while it is down') running.start();
    }
    await written;
    const args = ['compare', '--json', '--max', '0', '--wait', '5s', '--field', 'message', 'sent.log', RECORDS];
    const { stdout } = await run(args, { cwd: folder });
    const summary: unknown = JSON.parse(stdout);
    return new Map(Object.entries(summary ?? {}));
  });
}

for (const { collector, lost } of KNOWN) {
  describeWith([...collector.needs, 'logrotate'], collector.name, () => {
    test.each(Object.entries(lost))('logrotate, %s: as many records are lost as its page says', async (how, [least, most]) => {
      const counts = await deliver(collector, how);
      expect(counts.get('records_sent')).toBeGreaterThan(4000);
      expect(counts.get('missing')).toBeGreaterThanOrEqual(least);
      expect(counts.get('missing')).toBeLessThanOrEqual(most);
    });
  });
}
