import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { makeFolder, PROJECT, run, runShell } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';
import { LOG, RECORDS, RSYSLOG, SYSLOG_NG, whileCollecting, type Collector } from './collectors.js';
import { ALL, endDelivery, findings, folderWithLog, PARSED, parsedBut, RAW, type Summary } from './delivery.js';
import { FIELD_LOG, writeOddLog } from './odd-log.js';

/** The findings that are known of a collector: its README names them. */
interface Known {
  readonly collector: Collector;
  /** Over both changes of the clock, parsed. */
  readonly clockChanges: Summary;
  /** Odd targets, raw and parsed, with `--lossy`. */
  readonly odd: readonly [Summary, Summary];
  /** A broken log, raw with `--lossy`, and parsed. */
  readonly broken: readonly [Summary, Summary];
  /** After kill -9 in a backlog of 80,008 lines, at most. */
  readonly killed: { readonly missing: number; readonly duplicated: number };
  /** Over copytruncate, at most, of 24,008 lines. */
  readonly truncated: { readonly missing: number };
}

const KNOWN: readonly Known[] = [
  {
    collector: RSYSLOG,
    clockChanges: ALL(24_008),
    odd: [ALL(48_128), ALL(48_128)],
    // The line that is missing is an empty one.
    broken: [{ records_sent: 40_090, records_delivered: 40_089, missing: 1 }, ALL(39_740)],
    killed: { missing: 1000, duplicated: 1000 },
    truncated: { missing: 2000 },
  },
  {
    collector: SYSLOG_NG,
    // Deprecation records of the repeated hour are an hour off: altered. Of 5 the instant is that of another record.
    clockChanges: { records_sent: 24_008, records_delivered: 23_883, missing: 5, duplicated: 5, altered: 120 },
    odd: [
      { ...ALL(48_128), lossy: 16_912 },
      // 21 with a target of 100,000 bytes.
      { records_sent: 48_128, records_delivered: 48_107, altered: 21, lossy: 16_912 },
    ],
    broken: [
      // The CR of 184 lines is gone. Lines of garbage end at a NUL.
      { records_sent: 40_090, records_delivered: 39_882, missing: 24, duplicated: 1, altered: 184, foreign: 62, lossy: 25 },
      // Without its CR a line is a record.
      { ...ALL(39_740), foreign: 184 },
    ],
    killed: { missing: 0, duplicated: 100 },
    truncated: { missing: 4000 },
  },
];

/** A folder whose `LOG` is what a shell script writes. */
async function folderWith(script: string): Promise<string> {
  const folder = makeFolder();
  const { exit, stderr } = await runShell(`{ ${script}; } > ${LOG}`, { cwd: folder });
  if (exit !== 0) throw new Error(stderr);
  return folder;
}

/** Has a collector read the `LOG` of a folder from its beginning to its end. */
async function collect(collector: Collector, folder: string): Promise<void> {
  await whileCollecting(collector, folder, () => endDelivery(folder));
}

/** Writes a live log in a folder: 3000 groups in 6 seconds. */
async function writeLive(folder: string, ...options: readonly string[]): Promise<void> {
  const args = ['--live', '--rate', '500', '--count', '3000', '--mark', 'r', '--tee', join(folder, 'sent.log')];
  const { exit, stderr } = await run(['synth', ...args, ...options, '-o', join(folder, LOG)]);
  if (exit !== 0) throw new Error(stderr);
}

for (const { collector, ...known } of KNOWN) {
  describeWith(collector.needs, collector.name, () => {
    test('the capture arrives whole and in order, raw and parsed', async () => {
      const folder = folderWithLog(readFileSync(join(PROJECT, 'fixtures/captured/error.log'), 'latin1'));
      await collect(collector, folder);
      expect(await findings(folder, LOG, RAW)).toEqual(ALL(2640));
      expect(await findings(folder, LOG, PARSED)).toEqual(ALL(2640));
    });

    test('the logs of the field arrive, raw and parsed', async () => {
      const folder = folderWithLog(FIELD_LOG);
      await collect(collector, folder);
      expect(await findings(folder, LOG, RAW)).toEqual(ALL(71));
      expect(await findings(folder, LOG, parsedBut('instant'))).toEqual(ALL(52));
    });

    test('a live log arrives whole and in order over renames, raw and parsed', async () => {
      const folder = makeFolder();
      writeFileSync(join(folder, RECORDS), '');
      await whileCollecting(collector, folder, async () => {
        const delivered = [RAW, PARSED].map((how) => findings(folder, 'sent.log', [...how, '--wait', '20s']));
        await writeLive(folder, '--rotate', '2MB');
        expect(await Promise.all(delivered)).toEqual([ALL(24_000), ALL(24_000)]);
      });
      expect(sizeOf(join(folder, `${LOG}.2`))).toBeGreaterThan(0);
    });

    test('a log over both changes of the clock', async () => {
      const hours = ['2025-03-29T20:00', '2025-10-25T20:00'].map((from) => `--from ${from} --duration 12h`);
      const folder = await folderWith(
        hours.map((span) => `webmail-diaglog synth --arrivals even --count 1500 --mark r ${span}`).join('; '),
      );
      await collect(collector, folder);
      expect(await findings(folder, LOG, RAW)).toEqual(ALL(24_008));
      expect(await findings(folder, LOG, PARSED)).toEqual(known.clockChanges);
    });

    test('odd targets', async () => {
      const folder = makeFolder();
      renameSync(await writeOddLog(folder), join(folder, LOG));
      await collect(collector, folder);
      const found = [await findings(folder, LOG, [...RAW, '--lossy']), await findings(folder, LOG, [...PARSED, '--lossy'])];
      expect(found).toEqual(known.odd);
    });

    test('a broken log', async () => {
      const folder = await folderWith(
        'webmail-diaglog synth --arrivals even --seed 9 --count 5000 --mark r --faults all:0.01 --fault-seed 3 2> faults',
      );
      await collect(collector, folder);
      // The instant of a deprecation record depends on the records around it, which may be broken.
      const found = [await findings(folder, LOG, [...RAW, '--lossy']), await findings(folder, LOG, parsedBut('instant'))];
      expect(found).toEqual(known.broken);
    });

    test('kill -9 in a backlog, and a restart', async () => {
      const folder = await folderWith('webmail-diaglog synth --count 10000 --mark r');
      await whileCollecting(collector, folder, async (running) => {
        await until(() => sizeOf(join(folder, RECORDS)) > 5_000_000);
        await running.end('SIGKILL');
        running.start();
        await endDelivery(folder);
      });
      const { missing = 0, duplicated = 0 } = await findings(folder, LOG, RAW);
      expect(missing).toBeLessThanOrEqual(known.killed.missing);
      expect(duplicated).toBeLessThanOrEqual(known.killed.duplicated);
    });

    test('copytruncate', async () => {
      const folder = makeFolder();
      await whileCollecting(collector, folder, async () => {
        await writeLive(folder, '--rotate', '2MB', '--rotate-how', 'copytruncate');
        await endDelivery(folder, 'sent.log');
      });
      const { missing = 0 } = await findings(folder, 'sent.log', RAW);
      expect(missing).toBeLessThanOrEqual(known.truncated.missing);
    });
  });
}
