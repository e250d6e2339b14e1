import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CallError, StoppedError } from '../../src/errors.js';
import { formatGroup } from '../../src/log/group.js';
import { renderGroups } from '../../src/output/log-pieces.js';
import { pack, writePieces } from '../../src/output/pack.js';
import { renderPieces, type Piece, type PieceBatches } from '../../src/output/piece.js';
import { deployment, request } from '../support/arbitraries.js';
import { collect } from '../support/bytes.js';
import { HeldOutput, type Outcome } from '../support/held-output.js';

const FULL = new Error('no space left');
const GONE = new Error('of the report');
const NEVER = new AbortController().signal;

/** Rows in batches of one. */
function rowsOf(...texts: readonly string[]): PieceBatches {
  const rows = texts.map((text, index) => [{ text, line: index + 1 }]);
  return renderPieces(rows, ({ text }) => Buffer.from(`${text}\n`));
}

test.each([
  ['each when no more are waiting', false, ['a\n', 'b\n', 'c\n']],
  ['together while more are waiting', true, ['a\nb\nc\n']],
])('pieces are written in order, %s', async (_what, more, writes) => {
  const output = new HeldOutput();
  await writePieces(rowsOf('a', 'b', 'c'), output, NEVER, { hasMore: () => more });
  expect(output.writes).toEqual(writes);
});

test('packets are filled to the size that is asked for; a larger piece is one of its own', async () => {
  const packets: string[] = [];
  const pieces = rowsOf('a', 'b', 'c', 'large', 'd');
  for await (const packet of pack(pieces, () => true, undefined, 4)) packets.push(packet.bytes().toString());
  expect(packets).toEqual(['a\nb\n', 'c\n', 'large\n', 'd\n']);
});

test('what came before an error of the source is written, and then the error ends the run', async () => {
  async function* failing(): AsyncGenerator<Iterable<Piece>> {
    yield* rowsOf('a');
    throw FULL;
  }
  const output = new HeldOutput();
  const writing = writePieces(failing(), output, NEVER, { hasMore: () => true });
  await expect(writing).rejects.toMatchObject({ cause: FULL, written: 1 });
  expect(output.writes).toEqual(['a\n']);
});

test('renderGroups: any batches give the bytes of formatGroup, in packets of whole groups of at most 65,536 bytes', async () => {
  const batches = fc.array(fc.array(request, { maxLength: 90 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(batches, deployment, async (some, site) => {
      const whole = some.flat().map((rendered) => formatGroup(rendered, site));
      const ends = new Set([0]);
      for (const [index, group] of whole.entries()) ends.add(group.length + whole.slice(0, index).join('').length);
      let length = 0;
      const packets = await collect(renderGroups(some, site));
      for (const packet of packets) {
        expect(packet.length).toBeLessThanOrEqual(65_536);
        length += packet.length;
        expect(ends.has(length)).toBe(true);
      }
      expect(Buffer.concat(packets).toString('latin1')).toBe(whole.join(''));
    }),
    { numRuns: 15 },
  );
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
