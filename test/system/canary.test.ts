import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { summaryOf } from '../support/pipeline.js';
import { makeFolder, outcome, startRun } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';

test('a process that was stopped finds nothing missing, in the file that was made meanwhile either', async () => {
  const folder = makeFolder();
  const [log, got] = [join(folder, 'app.log'), join(folder, 'got.log')];
  writeFileSync(got, '');
  // Few groups: one that is noted when the process is stopped, and written when it goes on, is late.
  const child = startRun('canary app.log got.log --rate 10 --late 5s --json', { cwd: folder });
  const ended = outcome(child);
  let delivered = 0;
  const deliver = (records = Infinity): void => {
    const lines = readFileSync(log, 'latin1')
      .split(/(?<=\n)/)
      .slice(delivered, delivered + records);
    appendFileSync(got, lines.join(''), 'latin1');
    delivered += lines.length;
  };
  await until(() => sizeOf(log) > 20_000);
  child.kill('SIGSTOP');
  // It stops a little later: a record may be half written now.
  await setTimeout(100);
  deliver(20);
  renameSync(got, `${got}.1`);
  deliver();
  await setTimeout(6000);
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  await setTimeout(1000);
  deliver();
  const result = await ended;
  expect(summaryOf(result)).toEqual({ records_sent: delivered, records_delivered: delivered, share: 1 });
  expect(result.exit).toBe(0);
});
