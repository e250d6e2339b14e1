import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareLogs } from '../../src/compare/compare-logs.js';
import type { ComparisonFinding, FindingKind } from '../../src/compare/findings.js';
import { FAULT_KINDS, type FaultKind, type PerKind } from '../../src/faults/kinds.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { breakLog, requestsAt, type BrokenPiece, forEachKind } from '../support/broken-log.js';
import { chunksOf, outcomeOf } from '../support/bytes.js';

const SITE = createDeployment();
const RECORDS = 8;

async function findingsIn(clean: string, broken: string): Promise<readonly ComparisonFinding[]> {
  const sent = { source: 'sent', chunks: chunksOf(clean) };
  return (await outcomeOf(compareLogs(sent, [{ source: 'received', chunks: chunksOf(broken) }]))).items;
}

/** What `compare` may find of each kind of fault. A record of which few bytes are left is missing, and the rest is foreign. */
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

/** A piece with a fault, and the lines of its groups in the clean log. */
interface HitPiece extends BrokenPiece {
  readonly cleanFrom: number;
  readonly cleanUntil: number;
}

function hitsIn(pieces: readonly BrokenPiece[]): readonly HitPiece[] {
  let cleanFrom = 1;
  return pieces.flatMap((piece) => {
    const from = cleanFrom;
    cleanFrom += RECORDS * piece.count;
    return piece.fault === undefined ? [] : [{ ...piece, cleanFrom: from, cleanUntil: cleanFrom }];
  });
}

function isOf({ source, line }: ComparisonFinding, { from, until, cleanFrom, cleanUntil }: HitPiece): boolean {
  return source === 'sent' ? line >= cleanFrom && line < cleanUntil : line >= from && line < until;
}

test.each([
  ['all kinds', forEachKind(0.008)],
  ...FAULT_KINDS.map((kind): [string, PerKind] => [kind, { ...forEachKind(0), [kind]: 0.05 }]),
])('compare with the clean log explains each fault of %s at its lines, and finds nothing else', async (_name, rates) => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const requests = requestsAt(80, [3000, 3000, 5000, 3000, 60_000, 3000, 1000]);
      const { log, pieces } = await breakLog(requests, { rates, seed });
      const areNeighbours = pieces.some(({ fault }, index) => fault !== undefined && pieces[index - 1]?.fault !== undefined);
      fc.pre(!areNeighbours);
      const findings = await findingsIn(requests.map((request) => formatGroup(request, SITE)).join(''), log);
      const hits = hitsIn(pieces);
      for (const hit of hits) {
        const { fault } = hit;
        if (fault === undefined) continue;
        const own = findings.filter((finding) => isOf(finding, hit));
        const unexpected = own.filter(({ kind }) => !EXPECTED[fault.details.kind].includes(kind));
        expect({ fault, unexpected }).toEqual({ fault, unexpected: [] });
        expect(own.length).toBeGreaterThan(0);
        const isCounted = fault.details.kind === 'crlf' || fault.details.kind === 'foreign';
        if (isCounted) expect(own.reduce((sum, { records }) => sum + records, 0)).toBe(fault.lines);
      }
      expect(findings.filter((finding) => !hits.some((hit) => isOf(finding, hit)))).toEqual([]);
    }),
    { numRuns: 4 },
  );
});
