import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkLog } from '../../src/check/check-log.js';
import { FAULT_KINDS, type PerKind } from '../../src/faults/kinds.js';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { readLoggedRequests } from '../../src/reading/parse.js';
import * as arbitraries from '../support/arbitraries.js';
import { breakLog, requestsAt, type BrokenLog, type BrokenPiece, forEachKind } from '../support/broken-log.js';
import { chunksOf, outcomeOf } from '../support/bytes.js';

/** The lines of what `check` finds, each with its rule. */
async function violationsOf(log: string, deployment: Deployment): Promise<{ line: number; rule: string }[]> {
  const { items } = await outcomeOf(checkLog(chunksOf(log), deployment));
  return items.map(({ line, kind }) => ({ line, rule: kind }));
}

/** The pieces that hold a fault; undefined if two of them are neighbours. */
function hitPieces({ pieces }: BrokenLog): readonly BrokenPiece[] | undefined {
  const areNeighbours = pieces.some(({ fault }, index) => fault !== undefined && pieces[index - 1]?.fault !== undefined);
  return areNeighbours ? undefined : pieces.filter(({ fault }) => fault !== undefined);
}

describe('check', () => {
  const twoPluginsOn = arbitraries.deployment.filter(({ plugins }) => plugins.length > 1);

  test.each([
    ['all kinds', forEachKind(0.01)],
    ...FAULT_KINDS.map((kind): [string, PerKind] => [kind, { ...forEachKind(0), [kind]: 0.05 }]),
  ])(
    '%s: finds each fault in its group, and nothing else, where groups are more than two seconds apart',
    async (_name, rates) => {
      await fc.assert(
        fc.asyncProperty(fc.integer(), fc.oneof(fc.constant(createDeployment()), twoPluginsOn), async (seed, deployment) => {
          // Groups mix that are near: each seventh is within two seconds of the one before it.
          const requests = requestsAt(60, [3000, 3000, 5000, 3000, 60_000, 3000, 1000]);
          const broken = await breakLog(requests, { rates, seed, deployment });
          const hit = hitPieces(broken);
          fc.pre(hit !== undefined);
          const violations = await violationsOf(broken.log, deployment);
          for (const { fault, from, until } of hit) {
            const own = violations.filter(({ line }) => line >= from && line < until);
            if (own.length === 0)
              throw new Error(`${String(fault?.details.kind)} in lines ${String(from)} to ${String(until - 1)} is not found`);
          }
          const others = violations.filter(({ line }) => !hit.some(({ from, until }) => line >= from && line < until));
          expect(others).toEqual([]);
        }),
      );
    },
  );
});

describe('parse', () => {
  test('gives back exactly the requests of a log whose groups mix', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        arbitraries.deployment,
        fc.array(fc.tuple(fc.constantFrom(0, 0, 100, 900, 2500), arbitraries.method, arbitraries.target), { maxLength: 60 }),
        async (seed, deployment, drawn) => {
          let millisecond = 1_747_562_400_000;
          const requests = drawn.map(([gap, method, target]) => ({ millisecond: (millisecond += gap), method, target }));
          const { log } = await breakLog(requests, { rates: { ...forEachKind(0), interleave: 0.4 }, seed, deployment });
          const { items } = await outcomeOf(readLoggedRequests(chunksOf(log)));
          expect(items.map(({ method, target }) => `${method} ${target}`)).toEqual(
            requests.map(({ method, target }) => `${method} ${target}`),
          );
        },
      ),
      { numRuns: 25 },
    );
  });
});
