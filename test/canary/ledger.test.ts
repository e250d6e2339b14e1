import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CanaryFinding, CanaryKind } from '../../src/canary/findings.js';
import { Ledger, type LedgerOptions } from '../../src/canary/ledger.js';
import { RunMark } from '../../src/canary/mark.js';
import { followPath, type Follower, type Growth } from '../../src/input/follower.js';
import { rendererIn } from '../../src/envelope/envelope-writer.js';
import { createDeployment } from '../../src/log/deployment.js';
import type { GroupRenderer } from '../../src/log/group.js';
import { makeFolder } from '../support/run.js';
import { simulateWriters, writerSteps } from '../support/simulate-writers.js';

const LATE_MS = 1000;
/** 2026-03-01T12:00:00Z */
const START = Date.UTC(2026, 2, 1, 12);
const PLUGINS = 7;
const RECORDS = PLUGINS + 1;

function growthOf(lines: readonly string[], file: object): Growth {
  return { bytes: Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'), file, isOld: false };
}

const A = { source: 'a.log' };
const B = { source: 'b.log' };

/** A run on a clock of its own: time is what the steps of a test say. */
class Bench {
  readonly ledger: Ledger;
  readonly #renderer: Pick<GroupRenderer, 'render'>;
  readonly #mark = new RunMark('t');
  readonly #found: CanaryFinding[] = [];
  nowMs = 0;

  /** @param aheadMs the clock of the ledger is so much ahead of that of the records */
  constructor({ aheadMs = 0, ...options }: Partial<LedgerOptions> & { aheadMs?: number } = {}, deployment = createDeployment()) {
    this.#renderer = rendererIn(options.envelope, deployment);
    this.ledger = new Ledger({ late: LATE_MS, ...options }, this.#mark, () => START + this.nowMs + aheadMs);
  }

  /** Sends groups. Returns their lines, without LF. */
  send(groups = 1, target = '/mail/'): string[] {
    const lines: string[] = [];
    for (let count = 0; count < groups; count += 1) {
      const millisecond = START + this.nowMs;
      const bytes = this.#renderer.render(this.#mark.mark({ millisecond, method: 'GET', target }));
      this.ledger.send(bytes, this.nowMs);
      lines.push(...Buffer.from(bytes).toString('latin1').split('\n').slice(0, -1));
    }
    return lines;
  }

  /** @param file the file of the input that the lines stand in */
  receive(lines: readonly string[], input = A, file: object = input): void {
    this.ledger.receive(input, growthOf(lines, file), this.nowMs);
  }

  /** Looks at a received file. */
  receiveAll(follower: Follower): void {
    for (let growth = follower.look(this.nowMs); growth !== undefined; growth = follower.look(this.nowMs))
      this.ledger.receive(follower, growth, this.nowMs);
    this.ledger.decide(this.nowMs);
  }

  /** Lets time pass, looking every 20 ms. */
  pass(ms: number): void {
    for (const until = this.nowMs + ms; this.nowMs < until;) {
      this.nowMs += 20;
      this.ledger.decide(this.nowMs);
      this.#found.push(...this.ledger.findings.take());
    }
  }

  end(): readonly CanaryFinding[] {
    this.ledger.decide(this.nowMs, true);
    this.#found.push(...this.ledger.findings.take());
    return this.#found;
  }

  get found(): readonly CanaryFinding[] {
    return this.#found;
  }

  /** The counts that are not 0. */
  get counts(): Partial<Record<CanaryKind | 'others' | 'lossy', number>> {
    const { counts, others, lossy } = this.ledger.snapshot(this.nowMs);
    return Object.fromEntries(Object.entries({ ...counts, others, lossy }).filter(([, count]) => count > 0));
  }
}

/** The first lines of a group are load failures, the last one is the deprecation record. */
const at = (lines: readonly string[], index: number): string => lines.at(index) ?? '';
const without = (lines: readonly string[], ...indices: readonly number[]): string[] =>
  lines.filter((_, index) => !indices.includes(index));
const changed = (lines: readonly string[], index: number, change: (line: string) => string | readonly string[]): string[] =>
  lines.flatMap((line, other) => (other === index ? change(line) : [line]));

const put = (line: string): string => line.replace('GET', 'PUT');

describe('what a pipeline does, all within --late', () => {
  type Pipeline = (lines: readonly string[]) => readonly string[];
  type Call = Partial<LedgerOptions> & { readonly target?: string; readonly aheadMs?: number };
  const LOSSY: Call = { lossy: true, target: '/mail/?a=\xff' };
  const cases: readonly [name: string, pipeline: Pipeline, counts: Bench['counts'], call?: Call][] = [
    ['nothing', (lines) => lines, {}],
    ['drops a load failure', (lines) => without(lines, 3), { missing: 1 }],
    ['drops a deprecation record', (lines) => without(lines, 7), { missing: 1 }],
    ['drops all but the last group', (lines) => lines.slice(2 * RECORDS), { missing: 2 * RECORDS }],
    ['doubles a load failure', (lines) => changed(lines, 3, (line) => [line, line]), { duplicated: 1 }],
    ['doubles everything', (lines) => [...lines, ...lines], { duplicated: 3 * PLUGINS, others: 3 }],
    ['cuts a record behind its mark', (lines) => changed(lines, 3, (line) => line.slice(0, -1)), { altered: 1 }],
    ['cuts a record within its mark', (lines) => changed(lines, 3, (line) => line.slice(0, -4)), { altered: 1 }],
    ['cuts a record before its mark', (lines) => changed(lines, 3, (line) => line.slice(0, 90)), { altered: 1 }],
    ['cuts a record to eight bytes', (lines) => changed(lines, 3, (line) => line.slice(0, 8)), { altered: 1 }],
    ['cuts a record to seven bytes', (lines) => changed(lines, 3, (line) => line.slice(0, 7)), { missing: 1, others: 1 }],
    ['cuts a deprecation record', (lines) => changed(lines, 7, (line) => line.slice(0, -1)), { altered: 1 }],
    ['splits a record', (lines) => changed(lines, 3, (line) => line.split(/(?<=^.{90})/)), { altered: 1 }],
    ['cuts every record', (lines) => lines.map((line) => line.slice(0, 100)), { altered: 3 * RECORDS }],
    ['adds a CR to a load failure', (lines) => changed(lines, 3, (line) => `${line}\r`), { altered: 1 }],
    ['changes a field', (lines) => changed(lines, 3, put), { altered: 1 }],
    ['changes a mark', (lines) => changed(lines, 3, (line) => line.replace('t-1', 't-77')), { missing: 1, foreign: 1 }],
    ['changes a field of every load failure', (lines) => lines.map(put), { altered: 3 * PLUGINS }],
    ['puts two records on one line', (lines) => [`${at(lines, 0)}${at(lines, 1)}`, ...lines.slice(2)], { altered: 2 }],
    ['cuts an LF and more', (lines) => [`${at(lines, 0).slice(0, 90)}${at(lines, 1)}`, ...lines.slice(2)], { altered: 2 }],
    ['adds a syslog header', (lines) => lines.map((line) => `<13>1 - - - ${line}`), { altered: 21, missing: 3, others: 3 }],
    ['swaps two records', (lines) => [at(lines, 1), at(lines, 0), ...lines.slice(2)], { reordered: 1 }],
    ['moves a record forward', (lines) => [at(lines, 3), ...without(lines, 3)], { reordered: 3 }],
    ['moves a record back', (lines) => [...without(lines, 3), at(lines, 3)], { reordered: 1 }],
    ['moves a deprecation record', (lines) => [at(lines, 7), ...without(lines, 7)], {}],
    ['sorts the groups the other way round', (lines) => [...lines].reverse(), { reordered: 3 * PLUGINS - 1 }],
    [
      'mixes in other traffic',
      (lines) => changed(lines, 3, (line) => [line, line.replace(/[?&]canary=t-\d+/, ''), 'garbage', '']),
      { others: 3 },
    ],
    [
      'mixes in another run',
      (lines) => changed(lines, 3, (line) => [line, line.replace('canary=t-', 'canary=t-1-'), line.replace('=t-', '=at-')]),
      { others: 2 },
    ],
    [
      'mixes in what an earlier run of that name wrote',
      (lines) => changed(lines, 3, (line) => [line, line.replace(/\d\d:\d\d:\d\d/, '11:59:58')]),
      { others: 1 },
    ],
    ['mixes in more deprecation records', (lines) => [...lines, at(lines, 7), at(lines, 7)], { others: 2 }],
    ['delivers a record and a changed copy', (lines) => changed(lines, 3, (line) => [line, put(line)]), { foreign: 1 }],
    ['invents a request', (lines) => [...lines, at(lines, 0).replace(/t-\d+/, 't-12345')], { foreign: 1 }],
    [
      'changes and drops records whose targets carried a mark of the run before',
      (lines) => changed(without(lines, 12), 2, put),
      { altered: 1, missing: 1 },
      { target: '/mail/?canary=t-2' },
    ],
    [
      'changes records that show a time before the start: what explains none is of another run',
      (lines) => [...changed(lines, 2, put), put(at(lines, 3))],
      { altered: 1, others: 1 },
      { aheadMs: 3_600_000 },
    ],
    ['replaces bytes', (lines) => lines.map((line) => line.replace('\xff', '?')), { lossy: 21 }, LOSSY],
    ['drops one of --kind', (lines) => without(lines, 2), { missing: 1, others: 3 }, { kind: 'load_failure' }],
    ['doubles some of --kind', (lines) => [...lines, ...lines.slice(6)], { others: 39 }, { kind: 'deprecation' }],
  ];
  test.each(cases)('%s', (_name, pipeline, counts, { target, ...options } = {}) => {
    const bench = new Bench(options);
    bench.pass(1000);
    const lines = bench.send(3, target);
    bench.pass(100);
    bench.receive(pipeline(lines));
    bench.pass(LATE_MS - 20);
    // A record with a mark that explains none is given up later.
    const { foreign: _, others = 0, ...decided } = counts;
    expect({ ...bench.counts, others: undefined }).toEqual({ ...decided, others: undefined });
    expect(bench.counts.others ?? 0).toBeLessThanOrEqual(others);
    bench.pass(LATE_MS);
    bench.end();
    expect(bench.counts).toEqual(counts);
    const { sent, delivered, counts: all } = bench.ledger.snapshot(bench.nowMs);
    expect(sent).toBe(delivered + all.missing + all.altered);
  });
});

describe('times', () => {
  test('a record is missing when it is due, and not before; the finding is given at once', () => {
    const bench = new Bench();
    const lines = bench.send();
    bench.receive(without(lines, 2, 3));
    bench.pass(LATE_MS - 20);
    expect(bench.counts).toEqual({});
    bench.pass(20);
    expect(bench.counts).toEqual({ missing: 2 });
    const moments = { time: '2026-03-01T12:00:01.000Z', written: '2026-03-01T12:00:00.000Z' };
    expect(bench.found).toEqual([{ ...moments, kind: 'missing', records: 2, request: 1, lastRequest: 1, text: at(lines, 2) }]);
  });

  test('a record that comes after it was missing is late: delivered, and neither missing nor out of order', () => {
    const bench = new Bench();
    const first = bench.send();
    bench.receive(without(first, 2));
    bench.pass(LATE_MS);
    bench.receive(bench.send());
    bench.receive([at(first, 2)]);
    expect(bench.counts).toEqual({ late: 1 });
    bench.receive([at(first, 2)]);
    expect(bench.counts).toEqual({ late: 1, duplicated: 1 });
    expect(bench.ledger.snapshot(bench.nowMs)).toMatchObject({ sent: 16, delivered: 16, outstanding: 0 });
    expect(bench.ledger.snapshot(bench.nowMs).latency?.max).toBeCloseTo(LATE_MS, 0);
  });

  test('late deprecation records count, each once; those that come again are others, and counted as equal ones', () => {
    const bench = new Bench();
    const lines = bench.send(2);
    bench.receive(without(lines, 7, 15));
    bench.pass(LATE_MS);
    const record = at(lines, 7);
    bench.receive([record, record, record, record, record.replace(/:00 /, ':01 ')]);
    expect(bench.counts).toEqual({ late: 2, others: 3 });
    expect(bench.ledger.snapshot(bench.nowMs).othersEqual).toBe(2);
  });

  test('what was decided is remembered for ten times --late', () => {
    const bench = new Bench();
    const lines = bench.send();
    bench.receive(without(lines, 2));
    bench.pass(10 * LATE_MS - 20);
    bench.receive([at(lines, 1), at(lines, 2)]);
    expect(bench.counts).toEqual({ duplicated: 1, late: 1 });
    bench.pass(3 * LATE_MS);
    bench.receive([at(lines, 3)]);
    bench.pass(2 * LATE_MS);
    // A mark of this run that is not remembered explains nothing.
    expect(bench.counts).toEqual({ duplicated: 1, late: 1, others: 1 });
  });

  test('a record altered says so when its original is due', () => {
    const bench = new Bench();
    const lines = bench.send();
    bench.pass(500);
    bench.receive(changed(lines, 2, put));
    bench.pass(480);
    expect(bench.counts).toEqual({});
    bench.pass(20);
    expect(bench.found).toMatchObject([
      { kind: 'altered', source: 'a.log', records: 1, request: 1, how: 'http_method "GET" has become "PUT"' },
    ]);
  });

  test('a cut deprecation record waits for its original, though an equal one comes whole first', () => {
    const bench = new Bench();
    bench.receive(changed(bench.send(), 7, (line) => line.slice(0, 100)));
    bench.pass(500);
    bench.receive(bench.send());
    bench.pass(2 * LATE_MS);
    expect(bench.counts).toEqual({ altered: 1 });
  });

  test('the beginning of a record is of none that was written before what came last', () => {
    const bench = new Bench();
    const lines = bench.send(2);
    bench.receive(changed(without(lines, 2), 10, (line) => line.slice(0, 90)));
    bench.pass(LATE_MS);
    bench.receive([at(lines, 2)]);
    expect(bench.counts).toEqual({ altered: 1, late: 1 });
  });

  test('a line without LF counts once it is a whole record, and once only', () => {
    const bench = new Bench();
    const lines = bench.send();
    bench.receive(lines.slice(0, 6));
    bench.pass(LATE_MS - 20);
    const halves = [at(lines, 6).slice(0, -1), at(lines, 6), at(lines, 6)];
    const outstanding = halves.map((half) => {
      bench.ledger.receiveHalf(A, growthOf([half], A), bench.nowMs);
      return bench.ledger.outstanding;
    });
    expect(outstanding).toEqual([2, 1, 1]);
    bench.receive(lines.slice(6));
    bench.pass(2 * LATE_MS);
    expect(bench.counts).toEqual({});
  });

  test('the oldest that is outstanding has an age', () => {
    const bench = new Bench();
    bench.send();
    bench.pass(100);
    const lines = bench.send();
    bench.pass(100);
    expect(bench.ledger.snapshot(bench.nowMs)).toMatchObject({ outstanding: 16, oldestMs: 200 });
    bench.receive(lines);
    expect(bench.ledger.snapshot(bench.nowMs)).toMatchObject({ outstanding: 8, oldestMs: 200 });
  });
});

describe('findings', () => {
  /** The findings in short. */
  const told = ({ found }: Bench, from = 0): string[] =>
    found
      .slice(from)
      .map(({ kind, records, request, lastRequest }) => `${kind} ${[records, request].join(' of ')}-${String(lastRequest)}`);

  test('an outage is told at once, then each minute and when records arrive again: no line a second', () => {
    const bench = new Bench();
    bench.receive(bench.send());
    const lost: string[] = [];
    for (let second = 0; second < 100; second += 1) {
      lost.push(...bench.send());
      bench.pass(1000);
    }
    expect(told(bench)).toEqual(['missing 8 of 2-2', 'missing 480 of 3-62']);
    bench.receive(bench.send());
    bench.pass(20);
    expect(told(bench, 2)).toEqual(['missing 312 of 63-101']);
    bench.receive(lost);
    bench.pass(20);
    // Those before are forgotten.
    expect(told(bench, 3)).toEqual(['late 80 of 92-101']);
    bench.pass(90_000);
    expect(bench.end()).toHaveLength(4);
  });

  test('what a collector lost while it was down is told at once, and together, though records arrive again', () => {
    const bench = new Bench();
    for (let second = 0; second < 30; second += 1) {
      const lines = bench.send();
      if (second < 5 || second >= 15) bench.receive(lines);
      bench.pass(1000);
    }
    expect(told(bench)).toEqual(['missing 8 of 6-6', 'missing 72 of 7-15']);
  });

  test('records that come late for a while are told at once, and together when records arrive in time again', () => {
    const bench = new Bench();
    const lines = bench.send(10);
    bench.pass(LATE_MS);
    const before = bench.found.length;
    for (let request = 0; request < 10; request += 1) {
      bench.receive(lines.slice(8 * request, 8 * request + 8));
      bench.pass(100);
    }
    expect(told(bench, before)).toEqual(['late 8 of 1-1']);
    bench.receive(bench.send());
    bench.pass(20);
    expect(told(bench, before)).toEqual(['late 8 of 1-1', 'late 72 of 2-10']);
  });

  test('records that are lost one by one are findings of their own', () => {
    const bench = new Bench();
    for (let second = 0; second < 5; second += 1) {
      bench.receive(without(bench.send(), 3));
      bench.pass(1000);
    }
    expect(told(bench)).toEqual([1, 2, 3, 4, 5].map((request) => `missing 1 of ${String(request)}-${String(request)}`));
  });

  test('max caps them a minute', () => {
    const bench = new Bench({ max: 2 });
    for (let minute = 0; minute < 3; minute += 1) {
      for (let count = 0; count < 4; count += 1) {
        bench.receive(without(bench.send(), 2));
        bench.pass(5000);
      }
      bench.pass(40_000);
    }
    expect(bench.end()).toHaveLength(6);
    expect(bench.ledger.snapshot(bench.nowMs)).toMatchObject({ findings: 12, shown: 6, counts: { missing: 12 } });
  });

  test('kinds that are allowed are counted and not given', () => {
    const bench = new Bench({ allow: new Set<CanaryKind>(['missing', 'reordered']) });
    const lines = bench.send();
    bench.receive([at(lines, 2), at(lines, 1), at(lines, 1)]);
    bench.pass(3 * LATE_MS);
    expect(bench.end().map(({ kind }) => kind)).toEqual(['duplicated']);
    expect(bench.counts).toEqual({ missing: 6, reordered: 1, duplicated: 1 });
  });

  test('each file of a received input has an order of its own', () => {
    const bench = new Bench();
    const lines = bench.send(2);
    bench.receive(lines.slice(8), B);
    bench.receive(lines.slice(0, 4));
    bench.receive(lines.slice(4, 8), B, {});
    bench.receive([at(lines, 0)], B);
    bench.pass(1000);
    expect(bench.found).toMatchObject([{ kind: 'duplicated', source: 'b.log' }]);
    expect(bench.counts).toEqual({ duplicated: 1 });
  });

  test('a record that another canary of the same name wrote names that cause', () => {
    const bench = new Bench();
    const lines = bench.send();
    bench.receive([...lines, at(lines, 0).replace(/GET \/[^?]*/, 'GET /other/')]);
    bench.pass(2 * LATE_MS);
    expect(bench.found).toMatchObject([{ kind: 'foreign', request: 1, how: expect.stringContaining('another canary') }]);
    expect(bench.ledger.hasStrangers).toBe(true);
  });

  test('a pipeline that cuts each line before its mark: each record is altered, in time that is linear', () => {
    const bench = new Bench();
    for (let request = 0; request < 3000; request += 1) {
      bench.receive(bench.send().map((line) => line.slice(0, request % 2 === 0 ? 100 : 12)));
      bench.nowMs += 1;
    }
    bench.end();
    expect(bench.counts).toEqual({ altered: 24_000 });
  });
});

test('no record that stands in some file of the received name is missing, but for what a truncation may have taken', async () => {
  await fc.assert(
    fc.asyncProperty(writerSteps, async (steps) => {
      const deployment = createDeployment({ plugins: ['a'], deprecation: false });
      const path = join(makeFolder(), 'out.log');
      const bench = new Bench({ late: 20_000 }, deployment);
      const follower = followPath(path, 'end');
      const { atRisk } = await simulateWriters(steps, {
        path,
        nextLine: (nowMs) => {
          bench.nowMs = nowMs;
          return bench.send()[0] ?? '';
        },
        onLook: (nowMs) => {
          bench.nowMs = nowMs;
          bench.receiveAll(follower);
        },
      });
      for (const growth of follower.rest()) bench.ledger.receive(follower, growth, bench.nowMs);
      follower.close();
      const { counts } = bench.ledger.snapshot(bench.nowMs);
      const lost = bench.end().filter(({ kind }) => kind === 'missing' || kind === 'altered');
      expect(lost.reduce((sum, { records }) => sum + records, 0)).toBeLessThanOrEqual(atRisk.size);
      expect(counts).toMatchObject({ late: 0, duplicated: 0, reordered: 0 });
    }),
    { numRuns: 25 },
  );
});

describe('what is compared', () => {
  const asNdjson = (lines: readonly string[]): string[] => lines.map((line) => JSON.stringify({ message: line }));

  test('--field: the line is in a field; what is no object, or torn, is of another source unless it carries the mark', () => {
    const bench = new Bench({ field: 'message' });
    const lines = bench.send();
    const ndjson = asNdjson(lines);
    bench.receive(['{"other":1}', '', '{', 'text', ...without(ndjson, 2), at(ndjson, 2).slice(0, -2)]);
    bench.pass(2 * LATE_MS);
    expect(bench.end()).toMatchObject([
      { kind: 'missing', request: 1 },
      { kind: 'foreign', request: 1, how: 'a torn line of JSON' },
    ]);
    expect(bench.counts).toEqual({ missing: 1, foreign: 1, others: 3 });
  });

  test('--fields: records that were parsed', () => {
    const fields = { request_target: 'target', plugin_file_path: 'file', instant: 'time' };
    const bench = new Bench({ fields });
    const lines = bench.send();
    const parsed = lines.slice(0, 7).map((line) => {
      const [, file, target] = /file (\S+) in .*\(GET (\S+)\)$/.exec(line) ?? [];
      return { file, target, time: '2026-03-01T12:00:00Z' };
    });
    const received: object[] = [{ a: 1 }, ...parsed, { time: '2026-03-01T13:00:00+01:00' }, { ...parsed[0], file: '/x' }];
    received[3] = { ...parsed[2], time: '2026-03-01T13:00:01Z' };
    bench.receive(received.map((record) => JSON.stringify(record)));
    bench.pass(2 * LATE_MS);
    expect(bench.end()).toMatchObject([{ kind: 'altered', how: expect.stringContaining('instant') }, { kind: 'foreign' }]);
    expect(bench.counts).toEqual({ altered: 1, foreign: 1, others: 1 });
  });

  test('what is in envelopes is compared, whatever they are', () => {
    const bench = new Bench();
    const lines = bench.send();
    bench.receive(lines.slice(0, 4).map((line) => `2026-03-01T12:00:00.1Z stderr F ${line}`));
    const docker = { stream: 'stderr', time: '2026-03-01T12:00:00.1Z' };
    const objects = lines.slice(4).map((line) => JSON.stringify({ log: `${line}\n`, ...docker }));
    bench.receive(objects, B);
    bench.pass(2 * LATE_MS);
    expect(bench.counts).toEqual({});
  });

  test('records that are written in an envelope may arrive without it, and without a stamp of their own', () => {
    const deployment = createDeployment({ driver: 'syslog', deprecation: false });
    const bench = new Bench({ envelope: 'rfc3164' }, deployment);
    const lines = bench.send();
    bench.receive(lines.slice(0, 2));
    const bare = lines.slice(2).map((line) => line.replace(/^.*?: /, ''));
    bench.receive(bare, B);
    bench.pass(2 * LATE_MS);
    expect(bench.ledger.snapshot(bench.nowMs)).toMatchObject({ sent: 7, delivered: 7, others: 0 });
  });
});
