import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkLog } from '../../src/check/check-log.js';
import { compareLogs } from '../../src/compare/compare-logs.js';
import type { ComparisonFinding, FindingKind } from '../../src/compare/findings.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from '../../src/faults/kinds.js';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import * as arbitraries from '../support/arbitraries.js';
import { breakLog, requestsAt, type BrokenLog, type BrokenPiece, forEachKind } from '../support/broken-log.js';
import { chunksOf, outcomeOf } from '../support/bytes.js';

/** A piece with a fault, and the lines of its groups in the clean log. */
interface HitPiece extends BrokenPiece {
  readonly fault: NonNullable<BrokenPiece['fault']>;
  readonly cleanFrom: number;
  readonly cleanUntil: number;
}

/** The pieces that hold a fault; undefined if two of them are neighbours. */
function hitPieces({ pieces }: BrokenLog, records: number): readonly HitPiece[] | undefined {
  const areNeighbours = pieces.some(({ fault }, index) => fault !== undefined && pieces[index - 1]?.fault !== undefined);
  if (areNeighbours) return undefined;
  let cleanUntil = 1;
  return pieces.flatMap((piece) => {
    const cleanFrom = cleanUntil;
    cleanUntil += records * piece.count;
    return piece.fault === undefined ? [] : [{ ...piece, fault: piece.fault, cleanFrom, cleanUntil }];
  });
}

const KINDS_AND_RATES: readonly (readonly [string, PerKind])[] = [
  ['all kinds', forEachKind(0.01)],
  ...FAULT_KINDS.map((kind) => [kind, { ...forEachKind(0), [kind]: 0.05 }] as const),
];

/** Groups mix that are near: each seventh is within two seconds of the one before it. */
const GAPS = [3000, 3000, 5000, 3000, 60_000, 3000, 1000];

describe.each(KINDS_AND_RATES)('of a log with faults (%s)', (_name, rates) => {
  /** Breaks logs. @param judge finds in each the faults, and nothing else */
  const breakLogs = async (
    deployments: fc.Arbitrary<Deployment>,
    count: number,
    numRuns: number,
    judge: (log: string, hits: readonly HitPiece[], requests: readonly LogRequest[], deployment: Deployment) => Promise<void>,
  ): Promise<void> => {
    const property = fc.asyncProperty(fc.integer(), deployments, async (seed, deployment) => {
      const requests = requestsAt(count, GAPS);
      const broken = await breakLog(requests, { rates, seed, deployment });
      const hits = hitPieces(broken, deployment.plugins.length + Number(deployment.deprecation));
      fc.pre(hits !== undefined);
      await judge(broken.log, hits, requests, deployment);
    });
    await fc.assert(property, { numRuns });
  };
  const usual = fc.constant(createDeployment());
  const twoPluginsOn = arbitraries.deployment.filter(({ plugins }) => plugins.length > 1);

  test('check finds each in its group, and nothing else', async () => {
    await breakLogs(fc.oneof(usual, twoPluginsOn), 60, 100, async (log, hits, _requests, deployment) => {
      const { items } = await outcomeOf(checkLog(chunksOf(log), deployment));
      const found = hits.map(({ from, until }) => items.filter(({ line }) => line >= from && line < until));
      for (const [index, { fault }] of hits.entries())
        expect({ fault, count: found[index]?.length }).not.toMatchObject({ count: 0 });
      expect(items.filter((item) => !found.flat().includes(item))).toEqual([]);
    });
  });

  test('compare with the clean log explains each at its lines, and finds nothing else', async () => {
    await breakLogs(usual, 80, 4, async (log, hits, requests, deployment) => {
      const clean = requests.map((request) => formatGroup(request, deployment)).join('');
      const sent = { source: 'sent', chunks: chunksOf(clean) };
      const { items } = await outcomeOf(compareLogs(sent, [{ source: 'received', chunks: chunksOf(log) }]));
      const found = hits.map((hit) => items.filter((finding) => isOf(finding, hit)));
      for (const [index, { fault }] of hits.entries()) {
        const own = found[index] ?? [];
        const { kind } = fault.details;
        const unexpected = own.filter((finding) => !EXPECTED[kind].includes(finding.kind));
        expect({ fault, count: own.length, unexpected }).toEqual({ fault, count: expect.any(Number), unexpected: [] });
        expect(own.length).toBeGreaterThan(0);
        if (kind === 'crlf' || kind === 'foreign') expect(own.reduce((sum, { records }) => sum + records, 0)).toBe(fault.lines);
      }
      expect(items.filter((item) => !found.flat().includes(item))).toEqual([]);
    });
  });
});

/** The findings of `compare` for each kind of fault. A record of which few bytes are left is missing, and the rest is foreign. */
const EXPECTED: Readonly<Record<FaultKind, readonly FindingKind[]>> = {
  torn: ['altered', 'missing', 'foreign'],
  missing: ['missing'],
  duplicate: ['duplicated'],
  swapped: ['reordered'],
  altered: ['altered'],
  late: ['reordered'],
  interleave: ['reordered'],
  foreign: ['foreign'],
  garbage: ['foreign'],
  crlf: ['altered'],
};

function isOf({ source, line }: ComparisonFinding, { from, until, cleanFrom, cleanUntil }: HitPiece): boolean {
  return source === 'sent' ? line >= cleanFrom && line < cleanUntil : line >= from && line < until;
}
