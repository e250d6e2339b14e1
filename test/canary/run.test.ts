import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { CanaryClock } from '../../src/canary/traffic.js';
import type { CanarySettings } from '../../src/canary/options.js';
import { CanaryRun } from '../../src/canary/run.js';
import { followPath } from '../../src/input/follower.js';
import { createDeployment } from '../../src/log/deployment.js';
import { openDestination } from '../../src/output/open-destination.js';
import { OBSERVED_TARGETS } from '../../src/requests/synth/weighted-targets.js';
import { makeFolder } from '../support/run.js';

/** A clock that goes on when it is slept on. @param onSleep is told the time before each sleep, and may set it */
function clockOf(onSleep: (clock: { ms: number }) => void): CanaryClock {
  const clock = { ms: 0 };
  return {
    now: () => clock.ms,
    wallNow: () => Date.UTC(2026, 2, 1) + clock.ms,
    sleep: async (delayMs) => {
      onSleep(clock);
      clock.ms += delayMs;
      await setImmediate();
    },
  };
}

const OPTIONS: CanarySettings = {
  late: 1000,
  run: 'r',
  rate: 50,
  duration: 6000,
  profile: 'flat',
  arrivals: 'even',
  targets: OBSERVED_TARGETS,
  deployment: createDeployment(),
};

test('a process that was stopped finds nothing missing, in the file that was made meanwhile either', async () => {
  const folder = makeFolder();
  const [log, got] = [join(folder, 'app.log'), join(folder, 'got.log')];
  writeFileSync(got, '');
  let delivered = 0;
  const deliver = (records = Infinity): void => {
    const lines = readFileSync(log, 'latin1')
      .split(/(?<=\n)/)
      .slice(delivered, delivered + records);
    appendFileSync(got, lines.join(''), 'latin1');
    delivered += lines.length;
  };
  let isStopped = false;
  const clock = clockOf((time) => {
    if (time.ms < 500) return;
    if (!isStopped) {
      isStopped = true;
      deliver(20);
      renameSync(got, `${got}.1`);
      time.ms += 5000;
    }
    deliver();
  });
  const canary = new CanaryRun(OPTIONS, clock);
  const { signal } = new AbortController();
  const output = await openDestination(log, { usedFiles: [], noun: 'group', signal, warn: () => undefined });
  const inputs = [followPath(got, 'end')];
  for await (const found of canary.watch({ output, inputs, signal })) expect(found).toEqual([]);
  output.close();
  for (const input of inputs) input.close();
  const { sent, delivered: came } = canary.snapshot();
  expect(sent).toBeGreaterThan(200);
  expect(came).toBe(sent);
});
