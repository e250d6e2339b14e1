import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { CallError, canary, createDeployment, type CanaryFinding, type CanaryOptions } from '../../src/index.js';
import { Pipeline } from '../support/pipeline.js';
import { makeFolder } from '../support/run.js';

/** Runs a canary in a folder, with a pipeline from `app.log` to `out.log`. */
async function runIn(folder: string, options: Partial<CanaryOptions>, change?: (line: string) => readonly string[]) {
  const [log, out] = [join(folder, 'app.log'), join(folder, 'out.log')];
  const pipeline = new Pipeline(log, out, change);
  const { findings, snapshot } = canary({ log, received: [out], rate: 20, duration: 500, late: 3000, ...options });
  const found: CanaryFinding[] = [];
  for await (const batch of findings) found.push(...batch);
  await pipeline.end();
  return { found, ...snapshot() };
}

describe('canary, in the library', () => {
  test('finds what a pipeline loses, and gives the numbers', async () => {
    const deployment = createDeployment({ plugins: ['a', 'b'] });
    const isLost = (line: string): boolean => /\/b\/b\.php .*-3\)$/.test(line);
    const end = await runIn(makeFolder(), { deployment, late: 2000 }, (line) => (isLost(line) ? [] : [line]));
    expect(end.found).toMatchObject([{ kind: 'missing', request: 3, records: 1 }]);
    expect(end).toMatchObject({ sent: 30, delivered: 29, outstanding: 0, counts: { missing: 1 } });
  });

  test('ends at once if its findings are left, and waits if the signal is aborted', async () => {
    const folder = makeFolder();
    const stream = new PassThrough();
    const left = canary({ log: join(folder, 'left.log'), received: [stream], rate: 100, late: 100 });
    for await (const [first] of left.findings) {
      expect(first?.kind).toBe('missing');
      break;
    }
    const stop = new AbortController();
    stop.abort();
    expect(await runIn(folder, { signal: stop.signal })).toMatchObject({ found: [], sent: 0, delivered: 0 });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ log: undefined }, 'options.log is not a string'],
    [{ received: [] }, "options.received is not an array of files and streams; give one such as ['received.log']"],
    [{ received: undefined }, "options.received is not an array of files and streams; give one such as ['received.log']"],
    [{ rate: 0 }, 'options.rate is not a number above 0'],
    [{ late: Infinity }, 'options.late is not a number above 0'],
    [{ allow: ['lost'] }, 'a kind in options.allow is "lost"; give one of '],
    [{ run: 'a b' }, 'options.run: "a b" is not a name for a run; '],
    [{ fields: { kind: 'kind' } }, 'options.fields: the target, which carries the mark'],
    [{ onEnd: () => undefined }, 'options.onEnd is not an option; the options are '],
    [{ signal: 1 }, 'options.signal is not an AbortSignal'],
  ])('%p is refused', (wrong, message) => {
    const options = { log: 'app.log', received: ['out.log'], ...wrong };
    expect(() => {
      Reflect.apply(canary, undefined, [options]);
    }).toThrow(message);
  });

  test('a log that cannot be written is an error of the findings', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'file'), '');
    const run = canary({ log: join(folder, 'file/app.log'), received: [join(folder, 'out.log')] });
    await expect(run.findings[Symbol.asyncIterator]().next()).rejects.toThrow('app.log: a part of the path is not a folder');
    const full = canary({ log: '/dev/full', received: [join(folder, 'out.log')], rate: 100 });
    const error: unknown = await full.findings[Symbol.asyncIterator]()
      .next()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallError);
    expect(error).toMatchObject({ problem: 'no space left on the device' });
  });
});
