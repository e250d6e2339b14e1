import { describe, expect, test } from '@jest/globals';
import { CallError, ReaderGoneError } from '../../src/errors.js';
import { AnsweringWriter } from '../../src/http/answering-writer.js';
import { HeldOutput, holdOutput } from '../support/held-output.js';
import { groupAt, SECOND } from '../support/records.js';

const FULL = new CallError({ source: 'error.log' }, 'no space left on the device', 'free some space');

const groupFor = (target: string): string => groupAt(SECOND, target);
const renderFor = (target: string) => () => ({ bytes: Buffer.from(groupFor(target)), count: 1, origin: {} });

/** Writes a group for each target, and gives what became of them, in the order in which that was known. */
function writeAll(writer: AnsweringWriter, targets: readonly string[]): string[] {
  const outcomes: string[] = [];
  for (const target of targets) void writer.write(renderFor(target)).then((outcome) => outcomes.push(`${target} ${outcome}`));
  return outcomes;
}

describe('AnsweringWriter', () => {
  test('6 writes requests that come together in one write, in order, and says so', async () => {
    const output = new HeldOutput();
    const writer = new AnsweringWriter(output, () => undefined);
    const answers = writeAll(writer, ['/a', '/b', '/c']);
    expect(answers).toEqual([]);
    await writer.idle();
    expect(output.writes).toEqual([groupFor('/a') + groupFor('/b') + groupFor('/c')]);
    expect(answers).toEqual(['/a written', '/b written', '/c written']);
  });

  test('writes what comes during a write with the next one, and a chunk at most at a time', async () => {
    const { output, letGo } = holdOutput();
    const writer = new AnsweringWriter(output, () => undefined);
    const first = writeAll(writer, ['/first']);
    await new Promise(setImmediate);
    const large = `/${'x'.repeat(16_000)}`;
    const targets = [...Array.from({ length: 100 }, (_, index) => `/${String(index)}`), large, '/last'];
    const answers = writeAll(writer, targets);
    expect([first, answers]).toEqual([[], []]);
    letGo();
    await writer.idle();
    expect(output.writes.join('')).toBe(['/first', ...targets].map(groupFor).join(''));
    expect(output.writes[0]).toBe(groupFor('/first'));
    expect(output.writes.filter((write) => write.length > 65_536)).toEqual([groupFor(large)]);
    expect(output.writes).toHaveLength(1 + Math.ceil(100 / Math.floor(65_536 / groupFor('/10').length)) + 2);
    expect(answers).toEqual(targets.map((target) => `${target} written`));
  });

  test('where a write is refused, requests whose group stands are told so, the others too, and the next tries again, each time with a word', async () => {
    const refusal = { standing: 0, error: FULL };
    const output = new HeldOutput([{ standing: 1, error: FULL }, refusal, 'taken', 'taken', refusal, 'taken']);
    const warnings: string[] = [];
    const writer = new AnsweringWriter(output, (message) => warnings.push(message));
    const first = writeAll(writer, ['/a', '/b', '/c']);
    await writer.idle();
    expect(first).toEqual(['/a written', '/b failed', '/c failed']);
    const second = writeAll(writer, ['/d']);
    await writer.idle();
    expect(second).toEqual(['/d failed']);
    expect(warnings).toEqual([
      'error.log: no space left on the device; until it takes groups again, requests are answered with 503',
    ]);
    const third = writeAll(writer, ['/e']);
    await writer.idle();
    expect(third).toEqual(['/e written']);
    expect(warnings.slice(1)).toEqual(['error.log: it takes groups again; 3 requests were answered with 503']);
    writeAll(writer, ['/f']);
    await writer.idle();
    expect(warnings).toHaveLength(2);
    expect(output.written).toBe(3);
    for (const target of ['/g', '/h']) {
      writeAll(writer, [target]);
      await writer.idle();
    }
    expect(warnings.slice(3)).toEqual(['error.log: it takes groups again; 1 request was answered with 503']);
  });

  test.each([
    ['the reader goes away', new ReaderGoneError('the reader went away'), true],
    ['an output fails that does not recover', FULL, false],
  ])('%s: it is lost, without a word, and no request is left waiting', async (_what, error, mayRecover) => {
    const warnings: string[] = [];
    const output = new HeldOutput(
      Array.from({ length: 9 }, () => ({ standing: 0, error })),
      mayRecover,
    );
    const writer = new AnsweringWriter(output, (message) => warnings.push(message));
    const targets = Array.from({ length: 100 }, (_, index) => `/${String(index)}`);
    const answers = writeAll(writer, targets);
    await expect(writer.lost).resolves.toBe(error);
    await writer.idle();
    expect(answers).toEqual(targets.map((target) => `${target} failed`));
    expect(warnings).toEqual([]);
  });
});
