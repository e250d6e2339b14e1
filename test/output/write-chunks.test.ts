import { expect, test } from '@jest/globals';
import { CallError, StoppedError } from '../../src/errors.js';
import { writeChunks } from '../../src/output/write-chunks.js';
import { chunkFor, groupFor } from '../support/chunks.js';
import { HeldOutput } from '../support/held-output.js';

const NEVER = new AbortController().signal;

async function* chunksFor(targets: readonly string[]): AsyncGenerator<ReturnType<typeof chunkFor>> {
  for (const target of targets) {
    await Promise.resolve();
    yield chunkFor(target);
  }
}

test('chunks are written in order', async () => {
  const output = new HeldOutput();
  await writeChunks(chunksFor(['/a', '/b', '/c']), output, NEVER);
  expect(output.writes).toEqual(['/a', '/b', '/c'].map(groupFor));
});

test('an early end says how many stand, in the noun of the output', async () => {
  const full = new CallError({ source: 'out.csv' }, 'no space left on the device', 'free some space');
  const output = new HeldOutput(['taken', { standing: 0, error: full }], true, 'row');
  const stopped = await writeChunks(chunksFor(['/a', '/b', '/c']), output, NEVER).catch((error: unknown) => error);
  expect(stopped).toBeInstanceOf(StoppedError);
  expect(stopped).toMatchObject({ cause: full, written: 1, noun: 'row' });
});
