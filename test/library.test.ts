import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  CallError,
  canary,
  check,
  createDeployment,
  DataError,
  exportRecords,
  findFirstGroup,
  inferDeploymentOptions,
  injectFaults,
  LogFiles,
  parse,
  parseDeployment,
  readAccessLog,
  readRequestList,
  replay,
  stats,
  synthesize,
  type Batches,
  type CheckFinding,
  type CheckOptions,
  type CheckResult,
  type LogRequest,
  type ReplayOptions,
  type SynthesizeOptions,
} from '../src/index.js';
import { collect, collectText } from './support/bytes.js';
import { callEach } from './support/call.js';
import { makeFolder, objectsOf, PROJECT, readBytes } from './support/run.js';

const REQUESTS = join(PROJECT, 'fixtures/requests.csv');
const CAPTURED = join(PROJECT, 'fixtures/captured/error.log');
const IMAGE_FILE = join(PROJECT, 'fixtures/deployments/official-image.json');
const OF_IMAGE = parseDeployment(JSON.parse(readFileSync(IMAGE_FILE, 'utf8')));
const ENVELOPES = ['docker', 'cri', 'syslog', 'rfc3164', 'rfc5424', 'none'] as const;
const ACCESS_LOG = join(PROJECT, 'fixtures/access-log/nginx.log');

/** Calls of the command, all in one process: what each writes, a byte string. */
async function written(...calls: readonly string[]): Promise<readonly string[]> {
  const folder = makeFolder();
  await callEach(calls.map((words, index) => `${words} -o ${folder}/${String(index)}`));
  return calls.map((_words, index) => readBytes(folder, String(index)));
}

async function checkedBy(
  log: Parameters<typeof check>[0],
  options: CheckOptions = {},
): Promise<{ findings: CheckFinding[]; result: CheckResult | undefined }> {
  let result: CheckResult | undefined;
  const batches = await collect(check(log, { ...options, onEnd: (end) => (result = end) }));
  return { findings: batches.flat(), result };
}

const groupsIn = (bytes: Uint8Array): number =>
  Buffer.from(bytes)
    .toString()
    .match(/Deprecated/g)?.length ?? 0;

/** A stream of the library, and the call of the command that writes the same bytes. */
type Stream = readonly [stream: AsyncIterable<Uint8Array>, words: string];

test('each stream is what the command writes with the same options', async () => {
  const { file, log } = brokenLog();
  const few = (): Batches<LogRequest> => synthesize({ count: 200 });
  const readList = (): ReturnType<typeof readRequestList> => readRequestList(createReadStream(REQUESTS));
  const synthesized: readonly (readonly [SynthesizeOptions, string])[] = [
    [{}, ''],
    [{ seed: 7, count: 50 }, '--seed 7 --count 50'],
    [{ count: 100, rate: 2, mark: 'r' }, '--count 100 --rate 2 --mark r'],
    [{ rate: 0.5, duration: 90_000 }, '--rate 0.5 --duration 90s'],
    [
      { from: '2025-03-29T02:30:00', to: Date.UTC(2025, 3, 2), profile: 'office', count: 3000 },
      '--from 2025-03-29T02:30:00 --to 2025-04-02T00:00:00Z --profile office --count 3000',
    ],
    [{ shard: '2/3', count: 5000, mark: 'n' }, '--shard 2/3 --count 5000 --mark n'],
  ];
  const replayed: readonly (readonly [ReplayOptions, string])[] = [
    [{}, ''],
    [{ mark: 'r', start: '2026-01-01T00:00:00Z' }, '--mark r --start 2026-01-01T00:00:00Z'],
    [
      { deployment: createDeployment({ plugins: ['a', 'b'], timezone: 'Asia/Kolkata' }), order: 'sort' },
      '--plugins a,b --timezone Asia/Kolkata --order sort',
    ],
    [{ order: 'keep', start: 1000 }, '--order keep --start 1'],
    [{ loop: 3, mark: 'r' }, '--loop 3 --mark r'],
    [{ envelope: 'cri', deployment: OF_IMAGE }, `--envelope cri --deployment ${IMAGE_FILE}`],
  ];
  const streams: readonly Stream[] = [
    ...synthesized.map(([options, words]): Stream => [replay(synthesize(options)), `synth ${words}`]),
    ...replayed.map(([options, words]): Stream => [replay(readList, options), `replay ${REQUESTS} ${words}`]),
    ...ENVELOPES.flatMap((envelope): readonly Stream[] => {
      const words = `synth --count 200 --envelope ${envelope}`;
      // As in the command, the driver of syslog is that of its envelopes.
      const site = createDeployment({ driver: envelope.startsWith('rfc') || envelope === 'syslog' ? 'syslog' : 'file' });
      const broken = injectFaults(few(), site, { rates: { all: 0.05 }, envelope });
      return [[replay(few(), { envelope }), words] as const, [bytesOf(broken), `${words} --faults all:0.05`] as const];
    }),
    [replay(readAccessLog(createReadStream(ACCESS_LOG))), `replay --from access-log ${ACCESS_LOG}`],
    [exportRecords(log), `parse --as records ${file}`],
    ...(['records', 'ecs', 'otel'] as const).flatMap((as) =>
      (['skip', 'emit'] as const).map((foreign): Stream => [
        exportRecords(log, { as, foreign }),
        `parse --as ${as} --foreign ${foreign} ${file}`,
      ]),
    ),
  ];
  const expected = await written(...streams.map(([, words]) => words));
  const given = await Promise.all(streams.map(([stream]) => collectText(stream)));
  expect(streams.filter((_stream, index) => given[index] !== expected[index]).map(([, words]) => words)).toEqual([]);
  expect(expected.filter((bytes) => bytes.length < 10_000)).toEqual([]);
});

async function* bytesOf(stretches: ReturnType<typeof injectFaults>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of stretches) yield bytes;
}

test('a driver that writes no time is refused without an envelope', async () => {
  const message = 'deployment: the driver stdout writes no time; give options.envelope too';
  const refused = [
    () => collect(replay([], { deployment: OF_IMAGE, envelope: 'none' })),
    () => collect(injectFaults([], OF_IMAGE, { rates: {} })),
    () => Promise.resolve(canary({ log: 'a', received: ['b'], deployment: OF_IMAGE })),
  ];
  for (const call of refused) await expect((async () => call())()).rejects.toThrow(message);
});

describe('replay', () => {
  test('writes the log that was parsed', async () => {
    const log = parse(createReadStream(CAPTURED));
    const captured = readFileSync(CAPTURED, 'latin1');
    const options = inferDeploymentOptions(
      (await findFirstGroup(createReadStream(CAPTURED))) ?? { line: 0, failures: [], deprecation: undefined },
    );
    const replayed = await collectText(replay(log, { order: 'keep', deployment: createDeployment(options) }));
    expect(replayed === captured).toBe(true);
  });

  const request = (millisecond: number): LogRequest => ({ millisecond, method: 'GET', target: '/mail/' });

  test('gives the groups of a batch before it asks for the next one', async () => {
    const asked: string[] = [];
    const batches = function* (): Generator<readonly LogRequest[]> {
      for (const second of [0, 1]) {
        asked.push(`batch ${String(second)}`);
        yield [request(1000 * second)];
      }
    };
    for await (const bytes of replay(batches())) asked.push(`${String(bytes.length)} bytes`);
    expect(asked).toEqual(['batch 0', '1771 bytes', 'batch 1', '1771 bytes']);
  });

  test('refuses to read again what can be read once', async () => {
    await expect(collect(replay([[request(0)]], { loop: 2 }))).rejects.toThrow(
      new TypeError('options.loop reads the requests again; give a function that returns them: () => readRequestList(…)'),
    );
  });

  test('waits for the moment of a group in real time, and a signal ends the waiting', async () => {
    const controller = new AbortController();
    let groups = 0;
    const replaying = async (): Promise<void> => {
      const requests = [[request(1000), request(2000), request(1e12)]];
      for await (const bytes of replay(requests, { speed: 1e6, start: 'now', signal: controller.signal })) {
        groups += groupsIn(bytes);
        if (groups === 2) controller.abort(new Error('enough'));
      }
    };
    await expect(replaying()).rejects.toThrow('enough');
    expect(groups).toBe(2);
  });
});

describe('parse', () => {
  const log = [readFileSync(CAPTURED), Buffer.from('foreign\n')];

  test('gives a request for each whole group, and counts what it passes over', async () => {
    let foreign: unknown;
    const requests = (await collect(parse(log, { onEnd: (passedOver) => (foreign = passedOver.foreign) }))).flat();
    expect(requests.length).toBe(329);
    expect(requests[0]).toMatchObject({ line: 1, method: 'GET', millisecond: expect.any(Number), timestamp: expect.any(String) });
    expect(foreign).toMatchObject({ count: 1, lines: [2633] });
  });

  test('gives every record with its group, and foreign lines among them', async () => {
    const lines = (await collect(parse(log.toReversed(), { as: 'records', foreign: 'emit' }))).flat();
    expect(lines).toHaveLength(2633);
    expect(lines[0]).toEqual({ line: 1, text: 'foreign', second: undefined });
    expect(lines[1]).toMatchObject({ line: 2, group: 1, record: { kind: 'load_failure' } });
  });
});

describe('exportRecords', () => {
  test('gives buffers of whole documents that may be kept, and names the files of several', async () => {
    const files = new LogFiles([
      { source: 'error.log.1', chunks: createReadStream(CAPTURED) },
      { source: 'error.log', chunks: createReadStream(CAPTURED) },
    ]);
    const buffers = await collect(exportRecords(files, { as: 'ecs' }));
    expect(buffers.length).toBeGreaterThan(9);
    expect(buffers.filter((bytes) => bytes.length > 65_536 || bytes.at(-1) !== 10)).toEqual([]);
    const documents = objectsOf(Buffer.concat(buffers).toString('latin1'));
    expect(documents[0]).toMatchObject({ log: { file: { path: 'error.log.1' } } });
    expect(documents.at(-1)).toMatchObject({ log: { file: { path: 'error.log' } } });
  });

  test('counts and refuses what parse counts and refuses', async () => {
    const { log } = brokenLog();
    let passedOver: unknown;
    await collect(exportRecords(log, { onEnd: ({ foreign }) => (passedOver = foreign.count) }));
    expect(passedOver).toBe(1);
    await expect(collect(exportRecords(log, { foreign: 'stop' }))).rejects.toThrow(DataError);
    await expect(collect(exportRecords([Buffer.from('a\n')], { as: 'otel' }))).rejects.toThrow('1 foreign line passed over');
  });
});

/** A log with faults of several kinds, as a file, and as the chunks of that file. */
function brokenLog(): { readonly file: string; readonly log: readonly Buffer[] } {
  const text = readFileSync(CAPTURED, 'latin1').split('\n').slice(0, 80);
  text[11] = (text[11] ?? '').replace('line 193', 'line 194');
  text.splice(20, 1, 'foreign \xff line', text[21] ?? '');
  text.splice(40, 1);
  const log = Buffer.from(text.join('\n'), 'latin1');
  return { file: join(makeFolder({ 'error.log': log }), 'error.log'), log: [log] };
}

describe('check', () => {
  test('finds what the command finds', async () => {
    const { file, log } = brokenLog();
    const [text = '', json = ''] = await written(`check ${file}`, `check --json ${file}`);
    const files = new LogFiles([{ source: file, chunks: log }]);
    const { findings, result } = await checkedBy(files);
    expect(findings.length).toBeGreaterThan(3);
    expect(findings.map(({ message }) => `${message}\n`).join('')).toBe(
      Buffer.from(text.split('\n').slice(0, -2).join('\n') + '\n', 'latin1').toString(),
    );
    const objects = objectsOf(json);
    const asJson = findings.map(({ kind, section, source, line }) => ({ kind: 'violation', rule: kind, section, source, line }));
    expect(objects.slice(0, -1)).toEqual(asJson.map((finding) => expect.objectContaining(finding)));
    const { lines, groups, counts } = result ?? {};
    expect(objects.at(-1)).toMatchObject({
      lines,
      groups,
      violations: counts?.total,
      rules: Object.fromEntries(counts?.found ?? []),
    });
    expect(findings.find(({ kind }) => kind === 'line-number')).toMatchObject({ found: '194', expected: '193' });
    const incomplete = findings.find(({ kind }) => kind === 'incomplete');
    expect(incomplete).toMatchObject({ groupSource: file, missing: [expect.any(String)] });
  });

  test('leaves out what is allowed or too many, and counts it', async () => {
    const { log } = brokenLog();
    const { findings, result } = await checkedBy(log, { allow: ['foreign'], max: 1 });
    expect(findings.map(({ kind }) => kind)).toEqual(['line-number']);
    expect(result?.counts.total).toBeGreaterThan(1);
    expect(Array.from(result?.counts.allowed ?? [])).toEqual([['foreign', 1]]);
  });

  describe('infer', () => {
    const OTHER = createDeployment({ installRoot: '/srv/mail', timezone: 'Asia/Kolkata', plugins: ['a', 'b'], dialect: 'php' });

    /** A log of that deployment: its first group is torn, and a record further on is altered. */
    async function otherLog(): Promise<Buffer> {
      const text = await collectText(replay(synthesize({ count: 20 }), { deployment: OTHER }));
      return Buffer.from(text.slice(text.indexOf('\n') + 1).replace(/193(?=[^\n]*\n[^\n]*\n$)/, '7'), 'latin1');
    }

    /** Bytes whose reading has ended. */
    const closed: Buffer[] = [];

    beforeEach(() => {
      closed.length = 0;
    });

    /** Bytes that can be read only once, in small chunks whose memory is used again. */
    async function* readOnce(bytes: Buffer): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(100);
      try {
        for (let at = 0; at < bytes.length; at += chunk.length) {
          yield chunk.subarray(0, bytes.copy(chunk, 0, at));
          await Promise.resolve();
        }
      } finally {
        closed.push(bytes);
      }
    }

    test('finds what check --infer finds, in bytes that can be read only once', async () => {
      const log = await otherLog();
      const file = join(makeFolder({ 'error.log': log }), 'error.log');
      const [text = ''] = await written(`check --infer ${file}`);
      const files = new LogFiles([{ source: file, chunks: readOnce(log) }]);
      const { findings, result } = await checkedBy(files, { infer: true });
      expect(findings.map(({ kind }) => kind)).toEqual(['incomplete', 'line-number']);
      expect(findings.map(({ message }) => message)).toEqual(text.split('\n').slice(0, -2));
      expect(result).toMatchObject({ groups: 20, lines: 59, isOfOtherInstallation: false });
      expect(closed).toHaveLength(1);
    });

    test('finds the first complete group in a later file, and names the files', async () => {
      const log = await otherLog();
      const first = { source: 'error.log.1', chunks: readOnce(log.subarray(0, 50)) };
      const files = new LogFiles([first, { source: 'error.log', chunks: readOnce(log) }]);
      const { findings } = await checkedBy(files, { infer: true });
      expect(findings.map(({ source, line, kind }) => [source, line, kind])).toEqual([
        // It stands in for the record that is missing behind it.
        ['error.log.1', 1, 'foreign'],
        ['error.log', 58, 'line-number'],
      ]);
      expect(files.placeOf(59)).toEqual({ source: 'error.log', line: 58 });
      expect(closed).toHaveLength(2);
    });

    test('an empty log, an array of buffers and infer: false are checked as ever', async () => {
      const log = await otherLog();
      expect((await checkedBy([], { infer: true })).findings).toEqual([]);
      expect((await checkedBy([log], { infer: true })).findings).toHaveLength(2);
      expect((await checkedBy([log], { infer: false })).result).toMatchObject({ isOfOtherInstallation: true });
    });

    test('refuses a log without a complete group, and ends its reading', async () => {
      const log = await otherLog();
      const lastLine = log.subarray(log.lastIndexOf('\n', log.length - 2) + 1);
      await expect(checkedBy(readOnce(lastLine), { infer: true })).rejects.toThrow(
        new DataError({ source: '<log>' }, 'the log holds no complete group', 'give options.deployment instead of options.infer'),
      );
      expect(closed).toEqual([lastLine]);
    });

    test('ends the reading of every file that was begun, when no more findings are asked for', async () => {
      const log = await otherLog();
      const files = [log.subarray(0, 50), log].map((bytes, index) => ({ source: String(index), chunks: readOnce(bytes) }));
      for await (const findings of check(new LogFiles(files), { infer: true })) if (findings.length > 0) break;
      expect(closed).toHaveLength(2);
    });
  });
});

test('stats gives the object of stats --json, for one log and for several', async () => {
  const { file, log } = brokenLog();
  const [one = '', two = ''] = await written(`stats --json ${file}`, `stats --json ${file} ${CAPTURED}`);
  const captured = { source: CAPTURED, chunks: createReadStream(CAPTURED) };
  expect([await stats(new LogFiles([{ source: file, chunks: log }]))]).toEqual(objectsOf(one));
  expect([await stats(new LogFiles([{ source: file, chunks: log }, captured]))]).toEqual(objectsOf(two));
  expect(await stats(log)).toMatchObject({
    source: '<log>',
    foreign_lines: 1,
    foreign_messages: [{ message_base64: expect.anything() }],
  });
});

test('a full disk is a CallError of the canary that writes to it', async () => {
  const { findings } = canary({ log: '/dev/full', received: [join(makeFolder(), 'out.log')], rate: 100, duration: 2000 });
  const watching = collect(findings);
  await expect(watching).rejects.toThrow(CallError);
  await expect(watching).rejects.toThrow('/dev/full: no space left on the device; free some space');
});
