import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readPage } from '../support/pages.js';
import { describeWith } from '../support/programs.js';
import { addressOf } from '../support/service.js';
import { makeFolder, outcome, PROJECT, run, runShell, startRun } from '../support/run.js';
import { LOG, LOGAGENT_BIN, RECORDS, RSYSLOG, SYSLOG_NG, whileCollecting, type Collector } from './collectors.js';
import { ALL, endDelivery, findings, PARSED, RAW, type Summary } from './delivery.js';

/** A folder whose `LOG` is 300 marked requests, 2,400 records. */
async function folderWithRequests(): Promise<string> {
  const folder = makeFolder();
  const { exit, stderr } = await run(['synth', '--mark', 'r', '--count', '300', '-o', join(folder, LOG)]);
  if (exit !== 0) throw new Error(stderr);
  return folder;
}

/** Runs work while `receive` writes to the `RECORDS` of a folder. @param work is given its address, without a slash at the end */
async function whileReceiving(folder: string, args: readonly string[], work: (address: string) => Promise<void>): Promise<void> {
  const child = startRun(['receive', '--port', '0', '-o', join(folder, RECORDS), ...args]);
  try {
    await work((await addressOf(child)).slice(0, -1));
  } finally {
    child.kill('SIGTERM');
    await outcome(child);
  }
}

/** The configurations of a collector in docs/receive.md: the blocks below its heading. */
function blocksOf(heading: string): readonly string[] {
  const [, after = ''] = readPage('docs/receive.md').text.split(`### ${heading}\n`);
  const section = after.split('\n### ', 1)[0] ?? '';
  return Array.from(section.matchAll(/^```conf\n(.*?)^```$/gms), ([, block = '']) => block);
}

/** The configuration of `parsers/rsyslog`, its last action replaced by that of docs/receive.md. */
function rsyslogTo(address: string): Collector {
  const [action = ''] = blocksOf('rsyslog').map((block) => block.replace('"9200"', `"${new URL(address).port}"`));
  return {
    ...RSYSLOG,
    paths: (folder) => ({
      ...RSYSLOG.paths?.(folder),
      'module(load="imfile")': 'module(load="imfile")\nmodule(load="omelasticsearch")',
      [`action(type="omfile" file="${join(folder, RECORDS)}" template="record")`]: action,
    }),
  };
}

/** The configuration of `parsers/syslog-ng`, its destination replaced by one of docs/receive.md. */
function syslogNgTo(address: string, driver: string): Collector {
  const destination = blocksOf('syslog-ng').find((block) => block.includes(driver)) ?? '';
  return {
    ...SYSLOG_NG,
    paths: (folder) => ({
      '@version: 3.38': '@version: 3.38\n@include "`SYSLOG_NG_SCL`/elasticsearch/elastic-http.conf"',
      'destination d_records {': `${destination.replace('http://127.0.0.1:9200', address)}destination d_unused {`,
      ...SYSLOG_NG.paths?.(folder),
    }),
  };
}

/** Sends a log through a collector into `receive`: every line and every field arrives. */
async function deliverAll(collectorTo: (address: string) => Collector): Promise<void> {
  const folder = await folderWithRequests();
  await whileReceiving(folder, [], (address) => whileCollecting(collectorTo(address), folder, () => endDelivery(folder)));
  for (const how of [RAW, PARSED]) expect(await findings(folder, LOG, how)).toEqual(ALL(2408));
}

describeWith([...RSYSLOG.needs, '/usr/lib/x86_64-linux-gnu/rsyslog/omelasticsearch.so'], 'rsyslog to receive', () => {
  test('every line and every field arrives', () => deliverAll(rsyslogTo));
});

describeWith(SYSLOG_NG.needs, 'syslog-ng to receive', () => {
  test.each([' elasticsearch-http(', ' http('])('every line and every field arrives: %s', (driver) =>
    deliverAll((address) => syslogNgTo(address, driver)),
  );
});

const CLIENTS = join(PROJECT, 'test/collectors/clients');
interface Client {
  readonly name: string;
  readonly needs: string;
  /** Sends the `LOG` of the folder that it runs in to `$1`. */
  readonly script: string;
  /** The options of `compare`. */
  readonly how: readonly string[];
  /** True if it sends the next batch before the last one is answered: what arrives may be out of order. */
  readonly isUnordered?: boolean;
  /** Its answer to failures on purpose: the options of `receive`, and the kinds of findings that follow. */
  readonly failures?: readonly (readonly [args: string, kinds: readonly string[]])[];
}

/** A client of `clients/`, and the package that it needs. */
const clientOf = (name: string, file: string, rest = '') => ({
  needs: `test/collectors/node_modules/${name}`,
  script: `"\${program[0]}" "${CLIENTS}/${file}" "$1" ${LOG} ${rest}`,
});

const NPM_CLIENTS: readonly Client[] = [
  {
    name: "Elasticsearch's client",
    ...clientOf('@elastic/elasticsearch', 'elasticsearch.js'),
    how: RAW,
    failures: [
      ['--lose-answer 0.3', ['duplicated']],
      ['--fail-items 0.3', ['missing']],
    ],
  },
  {
    name: 'pino-loki',
    ...clientOf('pino-loki', 'pino-loki.js'),
    how: ['--field', 'line'],
    isUnordered: true,
    failures: [
      ['--fail 0.3', ['missing']],
      ['--lose-answer 0.3', []],
    ],
  },
  {
    name: 'the exporter of OpenTelemetry',
    ...clientOf('@opentelemetry/exporter-logs-otlp-http', 'opentelemetry.js'),
    how: ['--field', 'body.stringValue'],
    failures: [
      ['--fail 0.3', []],
      ['--lose-answer 0.3', ['duplicated']],
    ],
  },
  {
    name: 'the exporter of OpenTelemetry that sends Protobuf',
    ...clientOf('@opentelemetry/exporter-logs-otlp-proto', 'opentelemetry-proto.js'),
    how: ['--field', 'body.stringValue'],
    failures: [
      ['--fail 0.3', []],
      ['--fail 0.3 --fail-status 429', []],
      ['--fail 0.3 --fail-status 500', ['missing']],
      ['--lose-answer 0.3', ['duplicated']],
    ],
  },
  {
    name: 'winston-loki, which sends Protobuf with Snappy',
    ...clientOf('winston-loki', 'winston-loki.js', '2> errors.txt'),
    how: ['--field', 'line'],
    isUnordered: true,
    failures: [
      ['--fail 0.3', []],
      // It sends few requests: the seed loses the answer to the first.
      ['--lose-answer 0.3 --seed 5', ['duplicated']],
    ],
  },
  {
    name: 'logagent',
    needs: LOGAGENT_BIN,
    script: `TZ=Europe/Warsaw DISABLE_DEFAULT_PATTERNS=true "\${program[0]}" "${PROJECT}${LOGAGENT_BIN}" \
      -n error.log -f "${PROJECT}parsers/logagent/patterns.yml" -e "$1" -i webmail < ${LOG}`,
    how: PARSED,
  },
];

describe('clients from npm', () => {
  for (const { name, needs, script, how, isUnordered = false, failures = [] } of NPM_CLIENTS) {
    const deliver = async (args: readonly string[]): Promise<Summary> => {
      const folder = await folderWithRequests();
      await whileReceiving(folder, args, async (address) => {
        const { exit, stderr } = await runShell(`set -- ${address}; ${script}`, { cwd: folder });
        if (exit !== 0) throw new Error(stderr);
      });
      return findings(folder, LOG, how);
    };
    describeWith([needs], name, () => {
      test('everything arrives', async () => {
        const { reordered, ...delivered } = await deliver([]);
        expect(delivered).toEqual(ALL(2400));
        if (!isUnordered) expect(reordered).toBeUndefined();
      });

      for (const [args, kinds] of failures) {
        test(`${args}: docs/receive.md says what comes of it`, async () => {
          const found = Object.keys(await deliver(args.split(' ')));
          expect(found.filter((kind) => ['missing', 'duplicated', 'altered', 'foreign'].includes(kind))).toEqual(kinds);
        });
      }
    });
  }
});
