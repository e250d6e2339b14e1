import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { outcome, PROJECT, run, runShell, startRun } from '../support/run.js';
import { FAIL2BAN, LOG, LOGAGENT, MTAIL, RECORDS, RSYSLOG, SYSLOG_NG, whileCollecting, type Collector } from './collectors.js';
import { findings, folderWithLog, RAW } from './delivery.js';

/** The ways in which logrotate rotates the log, each in a table of docs/collectors.md. */
type Way = 'create' | 'create, then HUP' | 'copytruncate' | 'create, while it is down';

/** The records that a collector loses, at least and at most, of some 4,000 in three rotations. */
type Lost = readonly [least: number, most: number];
const NONE: Lost = [0, 0];
const SOME: Lost = [1, 4000];
/** How many hangs on the moment of each rotation. */
const ANY: Lost = [0, 4000];

interface Known {
  readonly collector: Collector;
  readonly lost: Readonly<Partial<Record<Way, Lost>>>;
  /** Prints the number of load failures that have arrived. Left out, `compare` finds what is missing. */
  readonly count?: string;
}

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

/** The jail that finds plugins: each load failure is a line of its log. */
const FAIL2BAN_PLUGINS: Collector = {
  ...FAIL2BAN,
  change: () =>
    '[webmail-diaglog-plugins]\nenabled = true\nfilter = webmail-diaglog-plugins\nlogpath = /var/log/webmail/error.log\nmaxretry = 100000\nfindtime = 1d\n',
};

const COUNTED = `curl -s --unix-socket socket http://mtail/metrics | awk '/^webmail_load_failures_total/ { sum += $NF } END { print sum + 0 }'`;

const KNOWN: readonly Known[] = [
  {
    collector: RSYSLOG,
    // What the writer still writes to the renamed file is lost.
    lost: { create: SOME, 'create, then HUP': [0, 500], copytruncate: [0, 500], 'create, while it is down': SOME },
  },
  // On a busy machine it lost 230 of 4,000 once.
  { collector: RSYSLOG_ALL, lost: { create: [0, 500], 'create, while it is down': NONE } },
  {
    collector: SYSLOG_NG,
    lost: { create: NONE, 'create, then HUP': NONE, copytruncate: [0, 1000], 'create, while it is down': SOME },
  },
  { collector: SYSLOG_NG_ALL, lost: { create: NONE, 'create, while it is down': NONE } },
  {
    collector: LOGAGENT,
    lost: { create: ANY, 'create, then HUP': ANY, copytruncate: ANY, 'create, while it is down': SOME },
    count: `grep -c '"kind":"load_failure"' ${RECORDS}`,
  },
  // On a busy machine it lost a group once, and it may start late.
  { collector: MTAIL, lost: { create: ANY, 'create, then HUP': [0, 2000], copytruncate: ANY }, count: COUNTED },
  {
    collector: FAIL2BAN_PLUGINS,
    lost: { create: ANY, 'create, then HUP': ANY, copytruncate: ANY, 'create, while it is down': SOME },
    count: 'grep -c " Found " fail2ban.log',
  },
];

/** A writer opens the renamed log anew within a second, or at once on SIGHUP. */
const WRITER = ['synth', '--live', '--rate', '50', '--duration', '10s', '--mark', 'r', '-o', LOG, '--tee', 'sent.log'] as const;

/** Has logrotate rotate the log of a folder. */
async function rotate(folder: string, way: string, writer: number | undefined): Promise<void> {
  const directive = way === 'copytruncate' ? 'copytruncate' : 'create';
  const script = way === 'create, then HUP' ? `postrotate\n kill -HUP ${String(writer)}\n endscript` : '';
  writeFileSync(join(folder, 'rotate'), `${join(folder, LOG)} {\n su root root\n rotate 9\n ${directive}\n ${script}\n}\n`);
  const { exit, stderr } = await runShell('logrotate -f -s rotate.state rotate', { cwd: folder });
  if (exit !== 0) throw new Error(stderr);
}

/** Writes a log for ten seconds, and has logrotate rotate it three times, between two pieces of work. */
async function writeRotated(folder: string, way: string, before = nothing, after = nothing): Promise<void> {
  // A collector that starts at the end of the log must have started.
  await setTimeout(2000);
  const writer = startRun(WRITER, { cwd: folder });
  const written = outcome(writer);
  for (let rotation = 0; rotation < 3; rotation += 1) {
    await setTimeout(2000);
    await before();
    await setTimeout(500);
    await rotate(folder, way, writer.pid);
    await setTimeout(500);
    await after();
  }
  await written;
}

const nothing = (): unknown => undefined;

/** The number of records that a collector loses of a log that is rotated. */
async function deliver({ collector, count }: Known, way: string): Promise<number> {
  const folder = folderWithLog();
  return whileCollecting(collector, folder, async (running) => {
    if (way === 'create, while it is down')
      await writeRotated(folder, way, () => running.end('SIGTERM'), running.start.bind(running));
    else await writeRotated(folder, way);
    return count === undefined ? missing(folder) : uncounted(folder, count);
  });
}

async function missing(folder: string): Promise<number> {
  return (await findings(folder, 'sent.log', [...RAW, '--wait', '5s']))['missing'] ?? 0;
}

/** The load failures that a script has not counted, once its count stays the same. */
async function uncounted(folder: string, script: string): Promise<number> {
  const count = async (): Promise<number> => Number((await runShell(script, { cwd: folder })).stdout);
  const sent = (readFileSync(join(folder, 'sent.log'), 'latin1').match(/Failed to load plugin file/g) ?? []).length;
  let counted = await count();
  for (let before = -1; counted !== before && counted !== sent;) {
    before = counted;
    await setTimeout(4000);
    counted = await count();
  }
  return sent - counted;
}

for (const known of KNOWN) {
  describeWith([...known.collector.needs, 'logrotate'], known.collector.name, () => {
    const lost = new Map<string, number>();
    const ways = Object.entries(known.lost);
    beforeAll(async () => {
      await Promise.all(ways.map(async ([way]) => lost.set(way, await deliver(known, way))));
    });

    test.each(ways)('logrotate, %s: as many records are lost as its page says', (way, [least, most]) => {
      expect(lost.get(way)).toBeGreaterThanOrEqual(least);
      expect(lost.get(way)).toBeLessThanOrEqual(most);
    });
  });
}

/** lnav in a terminal. Once `end` is there, it writes its records, asked again while some are missing (a busy machine is late), and is started up to so many times. */
const watch = (starts: number): string => `export HOME=$PWD TERM=xterm
  lnav -i "${PROJECT}parsers/lnav/webmail-diaglog.json"
  all_written() { [ -e ${RECORDS} ] && [ $(wc -l < ${RECORDS}) = $(wc -l < ${LOG}) ]; }
  for start in $(seq ${String(starts)}); do
    rm -f ended
    (until [ -e end ]; do sleep 0.1; done
     for attempt in 1 2 3 4 5; do
       printf ';SELECT request_target FROM webmail_diaglog\\r'; sleep 2; printf ':write-jsonlines-to ${RECORDS}\\r'; sleep 2
       all_written && break
     done
     until [ -e ended ]; do printf q; sleep 1; done) | (timeout 80 script -qfc "stty rows 40 cols 120; lnav ${LOG}" screen; touch ended)
    all_written && break
  done`;

describeWith(['lnav', 'script', 'logrotate'], 'lnav', () => {
  test.each([
    ['create', 1],
    // After a truncation it sometimes shows no line until it is started again.
    ['copytruncate', 2],
  ])('logrotate, %s: it shows what the log of that name holds', async (way, starts) => {
    const folder = folderWithLog();
    const shown = runShell(watch(starts), { cwd: folder });
    await writeRotated(folder, way);
    writeFileSync(join(folder, 'end'), '');
    await shown;
    const args = ['compare', '--kind', 'load_failure', '--fields', 'request_target=request_target', LOG, RECORDS];
    expect(await run(args, { cwd: folder })).toMatchObject({ exit: 0, stdout: expect.stringContaining('(100 %)') });
  });
});
