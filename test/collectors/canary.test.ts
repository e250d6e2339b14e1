import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { outcome, run, startRun } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';
import { LOG, RECORDS, RSYSLOG, SYSLOG_NG, whileCollecting, type Collector } from './collectors.js';
import { folderWithLog, summaryIn } from './delivery.js';

/** The options of every canary here: the line is in a field of what the collector writes. */
const CANARY = ['canary', LOG, RECORDS, '--field', 'message', '--json', '--rate', '100'] as const;

/** A folder with an empty log, and no records yet. */
function emptyFolder(): string {
  const folder = folderWithLog();
  writeFileSync(join(folder, RECORDS), '');
  return folder;
}

/** The numbers of a summary that are not 0. */
function countsOf(stdout: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(summaryIn(stdout)).filter(([, value]) => typeof value === 'number' && value > 0));
}

/** Each collector, and the most records that it loses at five truncations: rsyslog where the machine is busy, syslog-ng looks ten times a second. */
const COLLECTORS = [
  { collector: RSYSLOG, truncated: 200 },
  { collector: SYSLOG_NG, truncated: 1000 },
] as const;

for (const { collector, truncated } of COLLECTORS) {
  describeWith(collector.needs, collector.name, () => {
    test.each([
      ['rename', 0],
      ['copytruncate', truncated],
    ])('every record arrives in time over rotations by %s, but for %i at most', async (how, most) => {
      const folder = emptyFolder();
      await whileCollecting(collector, folder, async () => {
        const args = ['--duration', '20s', '--rotate', '600kB', '--rotate-how', how];
        const { exit, stdout, stderr } = await run([...CANARY, ...args], { cwd: folder });
        const { missing = 0, ...counts } = countsOf(stdout);
        if (missing === 0) expect(stderr).toBe('');
        const delivered = 16_000 - Number(missing);
        expect(missing).toBeLessThanOrEqual(most);
        expect(counts).toEqual({ records_sent: 16_000, records_delivered: delivered, share: delivered / 16_000 });
        expect(exit).toBe(missing === 0 ? 0 : 1);
      });
      expect(sizeOf(join(folder, `${LOG}.4`))).toBeGreaterThan(0);
    });

    test('a collector that is stopped in the middle and started again is late, and loses nothing', async () => {
      const folder = emptyFolder();
      await whileCollecting(collector, folder, async (running) => {
        const child = startRun([...CANARY, '--late', '3s', '--allow', 'late', '--duration', '15s'], { cwd: folder });
        const finished = outcome(child);
        await until(() => sizeOf(join(folder, RECORDS)) > 500_000);
        await running.end('SIGTERM');
        await setTimeout(6000);
        running.start();
        const { exit, stdout } = await finished;
        const { late, ...counts } = countsOf(stdout);
        expect(counts).toEqual({ records_sent: 12_000, records_delivered: 12_000, share: 1 });
        expect(late).toBeGreaterThan(1000);
        // What was late had been missing first: that is a finding, and none is left in the summary.
        expect(stdout).toContain('"kind":"missing"');
        expect(exit).toBe(0);
      });
    });
  });
}

/** As a first configuration has it. */
const FORGETFUL: Collector = {
  ...RSYSLOG,
  change: (configuration) => configuration.replace(/ *reopenOnTruncate="on"/, ''),
};

describeWith(FORGETFUL.needs, 'rsyslog without reopenOnTruncate', () => {
  test('what it loses at a truncation is said while the canary runs', async () => {
    const folder = emptyFolder();
    await whileCollecting(FORGETFUL, folder, async () => {
      const args = ['--late', '3s', '--rotate', '2MB', '--rotate-how', 'copytruncate'];
      const child = startRun([...CANARY, ...args], { cwd: folder });
      const finished = outcome(child);
      let seen = '';
      child.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString('latin1')));
      await until(() => seen.includes('"kind":"missing"'));
      expect(child.exitCode).toBeNull();
      child.kill('SIGTERM');
      await finished;
    });
  });
});
