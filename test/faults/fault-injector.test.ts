import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FaultInjector } from '../../src/faults/fault-injector.js';
import { formatFault, type Fault } from '../../src/faults/fault.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from '../../src/faults/kinds.js';
import { createDeployment, type Deployment, type DeploymentOptions } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import { toPieces } from '../../src/output/log-pieces.js';
import type { PieceBatches } from '../../src/output/piece.js';
import { groupPieces } from '../support/packets.js';
import * as arbitraries from '../support/arbitraries.js';
import { breakLog, requestsAt, type BrokenLog, forEachKind } from '../support/broken-log.js';
import { explainBrokenLog } from '../support/explain.js';

const SPECIFIED = createDeployment();
const NONE = forEachKind(0);
const DEBIAN = {
  pluginsFolder: '/var/lib/roundcube/plugins',
  loaderPath: '/usr/share/roundcube/program/lib/Roundcube/rcube_plugin_api.php',
  sessionPath: '/usr/share/roundcube/program/lib/Roundcube/rcube_session.php',
};

/** The lines of pieces, byte strings. */
async function linesOf(batches: PieceBatches): Promise<readonly string[]> {
  let text = '';
  for await (const batch of batches) for (const { bytes } of batch) text += Buffer.from(bytes).toString('latin1');
  return text.split('\n').slice(0, -1);
}

function only(kind: FaultKind, rate: number): PerKind {
  return { ...NONE, [kind]: rate };
}

function reportOf({ faults }: BrokenLog, deployment: Deployment): string {
  return faults.map((fault) => formatFault(fault, deployment)).join('');
}

/** Breaks a log and explains it by its report. */
async function breakAndExplain(
  requests: readonly LogRequest[],
  options: { rates: PerKind; seed: number; deployment?: Deployment },
): Promise<BrokenLog> {
  const broken = await breakLog(requests, options);
  const deployment = options.deployment ?? SPECIFIED;
  explainBrokenLog(requests, deployment, broken.log, reportOf(broken, deployment));
  return broken;
}

describe('a clean log and its report together explain every byte of the broken one', () => {
  test.each(FAULT_KINDS)('%s alone, at many rates', async (kind) => {
    for (const [seed, rate] of [0.02, 0.1, 0.5, 1].entries()) {
      const { faults } = await breakAndExplain(requestsAt(300, [0, 400, 3000, 100]), { rates: only(kind, rate), seed });
      expect(faults.length).toBeGreaterThan(rate * 60);
    }
  });

  test('all kinds at once, for many seeds, deployments, dialects, times and targets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        arbitraries.deployment,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 4000 }), arbitraries.method, arbitraries.target), { maxLength: 80 }),
        fc.integer({ min: 86_400_000, max: Date.UTC(2200, 0, 1) }),
        fc.constantFrom(0.01, 0.05, 0.1),
        async (seed, deployment, drawn, start, rate) => {
          let millisecond = start;
          const requests = drawn.map(([gap, method, target], index) => {
            millisecond += gap;
            return { millisecond, method, target: `${target}#${String(index)}` };
          });
          await breakAndExplain(requests, { rates: forEachKind(rate), seed, deployment });
        },
      ),
      { numRuns: 20 },
    );
  });

  test('steps back in time, and a clock that is set back', async () => {
    const autumn = Date.UTC(2025, 9, 26, 0, 59, 50);
    await breakAndExplain(requestsAt(500, [900, 500, -700], autumn), { rates: forEachKind(0.1), seed: 3 });
  });

  test('a group of one plugin, and one of five hundred', async () => {
    for (const count of [1, 500]) {
      const plugins = Array.from({ length: count }, (_, index) => `p${String(index)}`);
      const deployment = createDeployment({ plugins });
      await breakAndExplain(requestsAt(60, [300]), { rates: forEachKind(0.1), seed: 1, deployment });
    }
  });
});

describe('installations that are not the usual one', () => {
  test.each<[string, DeploymentOptions]>([
    ['plugins below another folder than the program', DEBIAN],
    ['no deprecation record', { deprecation: false }],
    ['no deprecation record, two plugins', { deprecation: false, plugins: ['a', 'b'] }],
    ['folders without the usual names', { pluginsFolder: '/srv/addons', loaderPath: '/srv/loader.php', sessionPath: '/s.php' }],
  ])('%s: every kind of fault is made, and explained', async (_name, options) => {
    const deployment = createDeployment(options);
    const requests = requestsAt(600, [0, 400, 3000, 100]);
    const { faults } = await breakAndExplain(requests, { rates: forEachKind(0.1), seed: 2, deployment });
    expect(new Set(faults.map(({ details }) => details.kind))).toEqual(new Set(FAULT_KINDS));
  });

  test('an altered path is that of another installation', async () => {
    const deployment = createDeployment(DEBIAN);
    const { faults } = await breakLog(requestsAt(2000, [5000]), { rates: only('altered', 1), deployment });
    const tails = new Set<string>();
    for (const { details } of faults) {
      if (details.kind !== 'altered' || !details.field.endsWith('_path')) continue;
      const [, tail = ''] = /^\/[a-z]+(?:\/[a-z]+)+(\/(?:plugins|program)\/.*)$/.exec(String(details.to)) ?? [];
      tails.add(tail.replace(/\/plugins\/(\w+)\/\1\.php/, '/plugins/<plugin>'));
      expect(String(details.from).endsWith(tail)).toBe(true);
      expect(details.to).not.toBe(details.from);
    }
    expect(tails).toEqual(
      new Set(['/plugins/<plugin>', '/program/lib/Roundcube/rcube_plugin_api.php', '/program/lib/Roundcube/rcube_session.php']),
    );
  });

  test.each(['stdout', 'syslog'] as const)('what the driver %s does not write is neither altered nor cut', async (driver) => {
    const deployment = createDeployment({ driver, deprecation: driver === 'syslog' });
    const rates = { ...NONE, torn: 0.5, altered: 0.5 };
    const requests = requestsAt(400, [5000]);
    const injector = new FaultInjector({ rates, seed: 1, deployment });
    const breakLog = injector.inject.bind(injector);
    const envelope = 'cri';
    const clean = await linesOf(toPieces([requests], { form: 'log', deployment, envelope }));
    const broken = await linesOf(toPieces([requests], { form: 'log', deployment, envelope, breakLog }));
    expect(broken.length).toBe(clean.length);
    const faults = injector.takeFaults(Infinity);
    for (const { line, details } of faults) {
      const [before = '', after = ''] = [clean[line - 1], broken[line - 1]];
      expect(after).not.toBe(before);
      if (details.kind === 'torn') expect(after).toBe(before.slice(0, before.indexOf(' F ') + 3 + details.bytes));
    }
    expect(faults.length).toBe(400);
  });

  test.each(['docker', 'cri'] as const)('lines are those of the log where %s cuts long records into pieces', async (envelope) => {
    const requests = requestsAt(20, [5000]).map((request) => ({ ...request, target: request.target.padEnd(40_000, 'x') }));
    const rates = { ...NONE, garbage: 0.5, duplicate: 0.5 };
    const injector = new FaultInjector({ rates, seed: 1, deployment: SPECIFIED, envelope });
    const stages = { form: 'log', deployment: SPECIFIED, envelope } as const;
    const broken = await linesOf(toPieces([requests], { ...stages, breakLog: injector.inject.bind(injector) }));
    const records = ({ line, lines }: Fault): readonly string[] => broken.slice(line - 1, line - 1 + lines);
    const faults = injector.takeFaults(Infinity);
    expect(faults.length).toBe(20);
    for (const fault of faults) {
      const { length } = records(fault);
      if (fault.details.kind === 'garbage') expect(records(fault).join('')).not.toContain('xxx');
      else expect(records(fault).slice(length / 2)).toEqual(records(fault).slice(0, length / 2));
    }
    expect(faults.some(({ lines }) => lines === 6)).toBe(true);
  });

  test('a group of one record has no fault that takes two', async () => {
    const deployment = createDeployment({ plugins: ['a'], deprecation: false });
    const rates = forEachKind(0.1);
    const { faults, unplaced } = await breakAndExplain(requestsAt(600, [0, 400, 3000, 100]), { rates, seed: 2, deployment });
    const kinds = new Set(faults.map(({ details }) => details.kind));
    expect(FAULT_KINDS.filter((kind) => !kinds.has(kind))).toEqual(['swapped', 'interleave']);
    expect(unplaced).toMatchObject({ swapped: expect.any(Number), interleave: expect.any(Number) });
  });
});

describe('what is not hit', () => {
  test('at a rate of 0 the bytes are the clean ones, each piece the one that came', async () => {
    const requests = requestsAt(3000, [500]);
    const given: unknown[] = [];
    const injector = new FaultInjector({ rates: NONE, seed: 1, deployment: SPECIFIED });
    const pieces = requests.map((origin) => ({ bytes: Buffer.from(formatGroup(origin, SPECIFIED)), count: 1, origin }));
    for await (const batch of injector.inject([pieces])) given.push(...batch);
    expect(given.length).toBe(3000);
    expect(given.every((piece, index) => piece === pieces[index])).toBe(true);
  });
});

describe('rates', () => {
  const COUNT = 2000;

  test.each(FAULT_KINDS)('%s begins at as many groups as asked for', async (kind) => {
    const rate = 0.05;
    const { faults, unplaced } = await breakLog(requestsAt(COUNT, [700]), { rates: only(kind, rate), seed: 5 });
    const deviation = Math.sqrt(COUNT * rate * (1 - rate));
    expect(Math.abs(faults.length - COUNT * rate)).toBeLessThan(4 * deviation);
    expect(faults.every(({ details }) => details.kind === kind)).toBe(true);
    expect(unplaced[kind] ?? 0).toBeLessThan(8);
  });

  test('a fault that no group can have is counted as one that had no place', async () => {
    const late = await breakLog(requestsAt(1000, [0]), { rates: only('late', 0.1) });
    expect(late.faults).toEqual([]);
    expect(late.unplaced.late).toBeGreaterThan(50);
    const mixed = await breakLog(requestsAt(1000, [3000]), { rates: only('interleave', 0.1) });
    expect(mixed.faults).toEqual([]);
    expect(mixed.unplaced.interleave).toBeGreaterThan(50);
  });

  test.each(['late', 'interleave'] as const)(
    'at a rate of 1, every %s group began a fault or was left without one',
    async (kind) => {
      const { faults, unplaced } = await breakLog(requestsAt(3000, [0, 400, 700]), { rates: only(kind, 1) });
      expect(faults.length + (unplaced[kind] ?? 0)).toBe(3000);
    },
  );

  test('a hit that a group cannot have goes to the next one of its block that can', async () => {
    // Only the last two groups of each block are within two seconds of another.
    const requests = requestsAt(4096, [...Array<number>(1023).fill(3000), 0]);
    const { faults } = await breakLog(requests, { rates: only('interleave', 0.01) });
    expect(faults.map(({ request: { target } }) => target)).toEqual(
      [1022, 2046, 3070, 4094].map((index) => `/mail/?r=${String(index)}`),
    );
  });
});

describe('what is not given yet', () => {
  const clean = (requests: readonly LogRequest[]): string[] => requests.map((request) => formatGroup(request, SPECIFIED));

  /** What is given as each request comes, and at the end: byte strings. */
  async function giveOneByOne(requests: readonly LogRequest[], rates: PerKind): Promise<string[]> {
    const injector = new FaultInjector({ rates, seed: 1, deployment: SPECIFIED });
    const given: string[] = [];
    const batches = requests.map((request) => [request]);
    for await (const batch of injector.inject(groupPieces(batches, SPECIFIED)))
      given.push(Array.from(batch, ({ bytes }) => Buffer.from(bytes).toString('latin1')).join(''));
    return given;
  }

  test('a late group is held until one of a later second is there, and the groups between with it, or the input ends', async () => {
    const requests = requestsAt(4, [0, 300, 300, 3000], 1_747_562_400_000);
    const [first = '', second = '', third = '', fourth = ''] = clean(requests);
    expect(await giveOneByOne(requests, only('late', 1))).toEqual(['', '', '', second + third + fourth + first, '']);
    const same = requestsAt(3, [0]);
    expect(await giveOneByOne(same, only('late', 1))).toEqual(['', '', '', clean(same).join('')]);
  });

  test('groups that may mix are held until their cluster is whole, or two seconds have passed', async () => {
    const [lone, , ...given] = await giveOneByOne(requestsAt(4, [5000]), only('interleave', 1));
    expect(lone).toBe('');
    expect(given.slice(0, 2).every((text) => text.split('\n').length === 9)).toBe(true);
  });

  test('a group that is hit in itself is given at once', async () => {
    for (const text of (await giveOneByOne(requestsAt(5, [0]), only('missing', 1))).slice(0, 5)) expect(text).not.toBe('');
  });

  test('what is held is given before an error of the input is passed on', async () => {
    const requests = requestsAt(3, [0]);
    async function* failing(): AsyncGenerator<readonly LogRequest[]> {
      yield requests;
      await Promise.resolve();
      throw new Error('a bad row');
    }
    const injector = new FaultInjector({ rates: only('late', 1), seed: 1, deployment: SPECIFIED });
    let given = '';
    const read = async (): Promise<void> => {
      for await (const batch of injector.inject(groupPieces(failing(), SPECIFIED)))
        for (const { bytes } of batch) given += Buffer.from(bytes).toString('latin1');
    };
    await expect(read()).rejects.toThrow('a bad row');
    expect(given).toBe(clean(requests).join(''));
  });

  test('what comes in one batch or in many comes out the same', async () => {
    const requests = requestsAt(3000, [0, 400, 3000, 100]);
    const [one, ...others] = await Promise.all(
      [3000, 1, 1000].map((batchSize) => breakLog(requests, { rates: forEachKind(0.05), batchSize })),
    );
    for (const other of others) expect(other).toEqual(one);
  });
});

describe('pieces', () => {
  test('hold whole clusters, count their groups and have the moment of the last one', async () => {
    const requests = requestsAt(3000, [400]);
    const { pieces, faults } = await breakLog(requests, { rates: { ...NONE, late: 0.1, interleave: 0.1 }, seed: 2 });
    let number = 0;
    const expected = pieces.map(({ count }) => {
      number += count;
      return { lines: 8 * count, millisecond: requests[number - 1]?.millisecond };
    });
    expect(number).toBe(3000);
    expect(pieces.map(({ from, until, millisecond }) => ({ lines: until - from, millisecond }))).toEqual(expected);
    expect(pieces.filter(({ count }) => count > 1).length).toBe(faults.length);
  });

  test('are of 1 MiB at most, where several groups are in one', async () => {
    const lengthen = (request: LogRequest): LogRequest => ({ ...request, target: request.target + 'x'.repeat(40_000) });
    const requests = requestsAt(200, [0, 0, 0, 0, 0, 1000]).map(lengthen);
    const { pieces } = await breakLog(requests, { rates: { ...NONE, late: 0.5, interleave: 0.5 } });
    expect(pieces.some(({ count }) => count > 1)).toBe(true);
    expect(pieces.every(({ count, text }) => count === 1 || text.length <= 1 << 20)).toBe(true);
  });
});
