import { expect, test } from '@jest/globals';
import { FaultInjector } from '../../src/faults/fault-injector.js';
import { createDeployment } from '../../src/log/deployment.js';
import { Pacer } from '../../src/output/pacer.js';
import { groupPieces } from '../support/packets.js';
import { requestsAt, forEachKind } from '../support/broken-log.js';
import { FakeClock } from '../support/fake-clock.js';

test('in real time each cluster is given at the moment of its last group, and nothing is late', async () => {
  const deployment = createDeployment();
  const clock = new FakeClock();
  const begin = 1_747_562_400_000;
  const requests = requestsAt(2000, [0, 400, 3000, 100], begin);
  const rates = { ...forEachKind(0.02), late: 0.2, interleave: 0.2 };
  const injector = new FaultInjector({ rates, seed: 1, deployment });
  const pacer = new Pacer({ speed: 2, clock, anchor: { millisecond: begin, clockMs: clock.time } });
  const anchorMs = clock.time;
  let groups = 0;
  let clusters = 0;
  for await (const batch of pacer.pace(injector.inject(groupPieces([requests], deployment)))) {
    for (const { count } of batch) {
      groups += count;
      if (count > 1) clusters += 1;
      expect(clock.time - anchorMs).toBe(((requests[groups - 1]?.millisecond ?? NaN) - begin) / 2);
    }
  }
  expect(groups).toBe(2000);
  expect(clusters).toBeGreaterThan(500);
  expect(pacer.lateness.summary).toMatchObject({ max: 0 });
});
