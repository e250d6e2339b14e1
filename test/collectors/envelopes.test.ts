import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../support/http.js';
import { describeWith } from '../support/programs.js';
import { makeFolder, PROJECT, run, runShell } from '../support/run.js';
import { LOG, LOGAGENT_BIN, RECORDS, RSYSLOG, SYSLOG_NG, whileCollecting, type Collector } from './collectors.js';
import { findings, PARSED, parsedBut, RAW, type Summary } from './delivery.js';
import { listening } from './programs.js';

/** Targets of all lengths: records in one, two and five pieces. A field of syslog-ng ends at 64 KiB. */
const TARGETS = `/mail/,3\n/mail/?long=${'x'.repeat(20_000)},1\n/mail/?longer=${'y'.repeat(60_000)},1\n`;

/** Writes 300 marked requests, in envelopes. */
async function synth(folder: string, output: string, ...options: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'targets.csv'), `request_target,weight\n${TARGETS}`);
  const args = ['synth', '--count', '300', '--mark', 'r', '--targets', 'targets.csv', ...options, '-o', output];
  const { exit, stderr } = await run(args, { cwd: folder });
  if (exit !== 0) throw new Error(stderr);
}

const IMAGE = ['--deployment', join(PROJECT, 'fixtures/deployments/official-image.json')];
/** A record without a stamp has none to compare. */
const WITHOUT_STAMP = ['timestamp', 'utc_offset', 'timezone_name'] as const;
/** Where the year and the zone of RFC 3164 are those of today: rsyslog takes the present offset for any day of the year. */
const WITHOUT_TIME = ['instant', ...WITHOUT_STAMP] as const;

/** What is written, as options of `synth`, where to, and the fields that must arrive. */
const CASES = [
  { name: 'CRI, with the file driver', to: 'cri.log', options: ['--envelope', 'cri'], records: 2400, parsed: PARSED },
  {
    name: "CRI, with the official image's records",
    to: 'cri.log',
    options: ['--envelope', 'cri', ...IMAGE],
    records: 2100,
    parsed: parsedBut(...WITHOUT_STAMP),
  },
  { name: 'Docker', to: 'docker.log', options: ['--envelope', 'docker'], records: 2400, parsed: PARSED },
  { name: 'RFC 3164', to: 'tcp', options: ['--envelope', 'rfc3164'], records: 2400, parsed: parsedBut(...WITHOUT_TIME) },
  { name: 'RFC 5424', to: 'tcp', options: ['--envelope', 'rfc5424'], records: 2400, parsed: parsedBut(...WITHOUT_STAMP) },
] as const;

/** A collector with its `envelopes.conf` beside its configuration. */
function withEnvelopes(collector: Collector, port: number): Collector {
  const further = readFileSync(join(PROJECT, dirname(collector.configuration), 'envelopes.conf'), 'utf8');
  return {
    ...collector,
    change: (configuration) => configuration + further,
    paths: (folder) => ({
      '/var/log/containers/webmail.log': join(folder, 'cri.log'),
      '/var/lib/docker/containers/webmail-json.log': join(folder, 'docker.log'),
      '1514': String(port),
      ...collector.paths?.(folder),
    }),
  };
}

/** The counts of what a collector makes of a case, raw and parsed. */
async function deliver(collector: Collector, { to, options, parsed }: (typeof CASES)[number]): Promise<readonly Summary[]> {
  const [folder, port] = [makeFolder(), await freePort()];
  for (const name of [LOG, 'cri.log', 'docker.log']) writeFileSync(join(folder, name), '');
  return whileCollecting(withEnvelopes(collector, port), folder, async () => {
    await listening(port);
    await synth(folder, 'sent.log', ...options);
    await synth(folder, to === 'tcp' ? `tcp://127.0.0.1:${String(port)}` : to, ...options);
    const raw = await findings(folder, 'sent.log', [...RAW, '--wait', '3s']);
    return [raw, await findings(folder, 'sent.log', parsed)];
  });
}

for (const collector of [RSYSLOG, SYSLOG_NG]) {
  describeWith(collector.needs, `${collector.name} takes records out of their envelopes`, () => {
    const found = new Map<string, readonly Summary[]>();
    beforeAll(async () => {
      await Promise.all(CASES.map(async (known) => found.set(known.name, await deliver(collector, known))));
    });

    test.each(CASES)('$name: all arrive, in order, raw and parsed', ({ name, records }) => {
      const all = { records_sent: records, records_delivered: records };
      expect(found.get(name)).toEqual([all, all]);
    });
  });
}

describeWith([LOGAGENT_BIN], "logagent's filter for containerd", () => {
  test('CRI: whole records arrive; where it joins pieces it puts a space between them', async () => {
    const folder = makeFolder();
    await synth(folder, LOG, '--envelope', 'cri');
    const { exit, stderr } = await runShell(
      `cd "${PROJECT}" && TZ=Europe/Warsaw DISABLE_DEFAULT_PATTERNS=true "\${program[0]}" ${LOGAGENT_BIN} -n error.log \
        --config parsers/logagent/containerd.yml < "${folder}/${LOG}" > "${folder}/${RECORDS}"`,
    );
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.not.stringContaining('rror') });
    expect(await findings(folder, LOG, PARSED)).toEqual({ records_sent: 2400, records_delivered: 1497, missing: 903 });
  });
});

describeWith(['lnav'], "lnav's own format of syslog", () => {
  test.each(['syslog', 'rfc5424'])('%s: all arrive', async (envelope) => {
    const folder = makeFolder();
    await synth(folder, LOG, '--envelope', envelope);
    await runShell(
      `export HOME=$PWD; lnav -n -q -c ';SELECT log_body FROM syslog_log' -c ':write-jsonlines-to ${RECORDS}' ${LOG}`,
      { cwd: folder },
    );
    expect(await findings(folder, LOG, ['--field', 'log_body'])).toEqual({ records_sent: 2400, records_delivered: 2400 });
  });
});
