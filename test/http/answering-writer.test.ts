import { describe, expect, test } from '@jest/globals';
import { CallError, ReaderGoneError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { AnsweringWriter, MAX_WAITING } from '../../src/http/answering-writer.js';
import { formatGroup, GroupRenderer, type LogRequest } from '../../src/log/group.js';
import type { Output } from '../../src/output/destination.js';
import { HeldOutput } from '../support/held-output.js';

const SPECIFIED = createDeployment();
const FULL = new CallError({ source: 'error.log' }, 'no space left on the device', 'free some space');

function requestFor(target: string): LogRequest {
  return { millisecond: 1_747_562_400_000, method: 'GET', target };
}

function groupFor(target: string): string {
  return formatGroup(requestFor(target), SPECIFIED);
}

function createWriter(output: Output, warn: (message: string) => void): AnsweringWriter<LogRequest> {
  const renderer = new GroupRenderer(SPECIFIED);
  return new AnsweringWriter({ output, render: (request) => ({ bytes: renderer.render(request), count: 1 }), warn });
}

/** Appends a request for each target, and gives their answers in the order in which they came. */
function appendAll(
  writer: AnsweringWriter<LogRequest>,
  targets: readonly string[],
): [target: string, group: string | undefined][] {
  const answers: [string, string | undefined][] = [];
  for (const target of targets) {
    expect(writer.append(requestFor(target), (group) => answers.push([target, group?.toString('latin1')]))).toBe(true);
  }
  return answers;
}

describe('AnsweringWriter', () => {
  test('6 writes requests that come together in one write, in order, and answers with their groups', async () => {
    const output = new HeldOutput();
    const writer = createWriter(output, () => undefined);
    const answers = appendAll(writer, ['/a', '/b', '/c']);
    expect(answers).toEqual([]);
    await writer.idle();
    expect(output.writes).toEqual([groupFor('/a') + groupFor('/b') + groupFor('/c')]);
    expect(answers).toEqual(['/a', '/b', '/c'].map((target) => [target, groupFor(target)]));
  });

  test('writes what comes during a write with the next one, and a chunk at most at a time', async () => {
    const output = new HeldOutput();
    let letGo = (): void => undefined;
    output.held = new Promise((resolve) => (letGo = resolve));
    const writer = createWriter(output, () => undefined);
    const first = appendAll(writer, ['/first']);
    await new Promise(setImmediate);
    const large = `/${'x'.repeat(16_000)}`;
    const targets = [...Array.from({ length: 100 }, (_, index) => `/${String(index)}`), large, '/last'];
    const answers = appendAll(writer, targets);
    expect([first, answers]).toEqual([[], []]);
    letGo();
    await writer.idle();
    expect(output.writes.join('')).toBe(['/first', ...targets].map(groupFor).join(''));
    expect(output.writes[0]).toBe(groupFor('/first'));
    expect(output.writes.filter((write) => write.length > 65_536)).toEqual([groupFor(large)]);
    expect(output.writes).toHaveLength(1 + Math.ceil(100 / Math.floor(65_536 / groupFor('/10').length)) + 2);
    expect(answers).toEqual(targets.map((target) => [target, groupFor(target)]));
  });

  test('where a write is refused, requests whose group stands are answered with it, the others without, and the next tries again', async () => {
    const output = new HeldOutput([
      { standing: 1, error: FULL },
      { standing: 0, error: FULL },
    ]);
    const warnings: string[] = [];
    const writer = createWriter(output, (message) => warnings.push(message));
    const first = appendAll(writer, ['/a', '/b', '/c']);
    await writer.idle();
    expect(first).toEqual([
      ['/a', groupFor('/a')],
      ['/b', undefined],
      ['/c', undefined],
    ]);
    const second = appendAll(writer, ['/d']);
    await writer.idle();
    expect(second).toEqual([['/d', undefined]]);
    expect(warnings).toEqual([
      'error.log: no space left on the device; until it takes groups again, requests are answered with 503',
    ]);
    const third = appendAll(writer, ['/e']);
    await writer.idle();
    expect(third).toEqual([['/e', groupFor('/e')]]);
    expect(warnings.slice(1)).toEqual(['error.log: it takes groups again; 3 requests were answered with 503']);
    appendAll(writer, ['/f']);
    await writer.idle();
    expect(warnings).toHaveLength(2);
    expect(output.written).toBe(3);
  });

  test('each time that it fails is said, and counted afresh', async () => {
    const refusal = { standing: 0, error: FULL };
    const output = new HeldOutput([refusal, 'taken', refusal, 'taken']);
    const warnings: string[] = [];
    const writer = createWriter(output, (message) => warnings.push(message));
    for (const target of ['/a', '/b', '/c', '/d']) {
      appendAll(writer, [target]);
      await writer.idle();
    }
    expect(warnings.filter((message) => message.endsWith('again; 1 request was answered with 503'))).toHaveLength(2);
    expect(warnings).toHaveLength(4);
  });

  test.each([
    ['the reader goes away', new ReaderGoneError('the reader went away'), true],
    ['an output fails that does not recover', FULL, false],
  ])('%s: it is lost, without a word, and no request is left without an answer', async (_what, error, mayRecover) => {
    const warnings: string[] = [];
    const output = new HeldOutput(
      Array.from({ length: 9 }, () => ({ standing: 0, error })),
      mayRecover,
    );
    const writer = createWriter(output, (message) => warnings.push(message));
    const targets = Array.from({ length: 100 }, (_, index) => `/${String(index)}`);
    const answers = appendAll(writer, targets);
    await expect(writer.lost).resolves.toBe(error);
    await writer.idle();
    expect(answers).toEqual(targets.map((target) => [target, undefined]));
    expect(warnings).toEqual([]);
  });

  test('does not let more wait than it should', async () => {
    const output = new HeldOutput();
    const writer = createWriter(output, () => undefined);
    const answers = appendAll(
      writer,
      Array.from({ length: MAX_WAITING }, () => '/a'),
    );
    expect(
      writer.append(requestFor('/b'), () => {
        expect(true).toBe(false);
      }),
    ).toBe(false);
    await writer.idle();
    expect(answers).toHaveLength(MAX_WAITING);
    appendAll(writer, ['/c']);
    await writer.idle();
    expect(output.writes.at(-1)).toBe(groupFor('/c'));
  });
});
