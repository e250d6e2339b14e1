import { expect, test } from '@jest/globals';
import { CallError, StoppedError } from '../../src/errors.js';
import { writePieces } from '../../src/output/pack.js';
import { renderPieces, type PieceBatches } from '../../src/output/piece.js';
import { HeldOutput, type Outcome } from '../support/held-output.js';

const FULL = new Error('no space left');
const GONE = new Error('of the report');
const NEVER = new AbortController().signal;

/** Rows in batches of one. */
function rowsOf(...texts: readonly string[]): PieceBatches {
  const rows = texts.map((text, index) => [{ text, line: index + 1 }]);
  return renderPieces(rows, ({ text }) => Buffer.from(`${text}\n`));
}

test('pieces are written in order, each when no more are waiting', async () => {
  const output = new HeldOutput();
  await writePieces(rowsOf('a', 'b', 'c'), output, NEVER);
  expect(output.writes).toEqual(['a\n', 'b\n', 'c\n']);
});

test('pieces are written together while more are waiting', async () => {
  const output = new HeldOutput();
  await writePieces(rowsOf('a', 'b', 'c'), output, NEVER, { hasMore: () => true });
  expect(output.writes).toEqual(['a\nb\nc\n']);
});

test.each([
  ['rows', ['a', 'b'], ['head\na\n', 'b\n'], 2],
  ['no rows', [], ['head\n'], 0],
])('a head comes before %s, and is not counted', async (_what, rows, writes, written) => {
  const output = new HeldOutput();
  await writePieces(rowsOf(...rows), output, NEVER, { head: Buffer.from('head\n') });
  expect({ writes: output.writes, written: output.written }).toEqual({ writes, written });
});

test('an early end says how many stand, in the noun of the output', async () => {
  const full = new CallError({ source: 'out.csv' }, 'no space left on the device', 'free some space');
  const output = new HeldOutput(['taken', { standing: 0, error: full }], true, 'row');
  const stopped = await writePieces(rowsOf('a', 'b', 'c'), output, NEVER).catch((error: unknown) => error);
  expect(stopped).toBeInstanceOf(StoppedError);
  expect(stopped).toMatchObject({ cause: full, written: 1, lastLine: 1, noun: 'row' });
});

test.each<[Outcome[], boolean, Error | undefined, readonly number[]]>([
  [[], false, undefined, [1, 2, 3]],
  [['taken', { standing: 0, error: FULL }], false, FULL, [1, 1]],
  [['taken', { standing: 0, error: FULL }], true, GONE, [1]],
  [[{ standing: 0, error: FULL }], true, FULL, [0]],
])(
  'what follows each write (%j) is told how many stand; after a failed one its own error is dropped',
  async (plan, fails, cause, told) => {
    const counts: number[] = [];
    const afterWrite = (written: number): Promise<void> => {
      counts.push(written);
      return fails ? Promise.reject(GONE) : Promise.resolve();
    };
    const writing = writePieces(rowsOf('a', 'b', 'c'), new HeldOutput(plan), NEVER, { afterWrite });
    await (cause === undefined ? writing : expect(writing).rejects.toMatchObject({ name: 'StoppedError', cause }));
    expect(counts).toEqual(told);
  },
);
