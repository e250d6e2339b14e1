import { spawnSync } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { CallError, DataError } from '../../src/errors.js';
import { openInput } from '../../src/input/input.js';
import { collectText } from '../support/bytes.js';
import { makeFolder } from '../support/run.js';

const { signal } = new AbortController();

describe('openInput', () => {
  const content = 'line\n'.repeat(100_000);

  test.each([
    ['a file', Buffer.from(content)],
    ['a file of gzip', gzipSync(content)],
  ])('%s: peek gives all its bytes, as often as asked, before they are read', async (_what, bytes) => {
    const path = join(makeFolder(), 'x');
    writeFileSync(path, bytes);
    const input = await openInput(path, signal);
    for await (const chunk of input.peek()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await collectText(input.peek())).toBe(content);
    expect(input.counts.bytesRead).toBe(0);
    expect(await collectText(input.blocks)).toBe(content);
    expect(input.counts.bytesRead).toBe(bytes.length);
  });

  test('more than ten inputs that one signal ends are opened without a warning of Node', async () => {
    const path = join(makeFolder(), 'x');
    writeFileSync(path, content);
    const warnings: Error[] = [];
    const note = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', note);
    const controller = new AbortController();
    for (let count = 0; count < 12; count += 1) await openInput(path, controller.signal);
    await setImmediate();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  test('a FIFO: peek gives the beginning, and the bytes are read all the same', async () => {
    const path = join(makeFolder(), 'fifo');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    const writer = createWriteStream(path);
    writer.end(gzipSync(content));
    const input = await openInput(path, signal);
    const peeked = input.peek()[Symbol.asyncIterator]();
    const first = await peeked.next();
    const beginning = first.done === true ? '' : Buffer.from(first.value).toString('latin1');
    expect(beginning).not.toBe('');
    expect(content.startsWith(beginning)).toBe(true);
    expect(input.hasMore()).toBe(true);
    expect(await collectText(input.blocks)).toBe(content);
    expect(input.hasMore()).toBe(false);
    expect(input.counts.bytesRead).toBe(gzipSync(content).length);
    expect(input.counts.bytesGiven).toBe(content.length);
  });

  test.each([
    ['missing', CallError],
    ['.', CallError],
    ['x.zst', DataError],
  ])('%s is refused at once', async (name, error) => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'x.zst'), '\x28\xb5\x2f\xfd', 'latin1');
    await expect(openInput(join(folder, name), signal)).rejects.toThrow(error);
  });

  test('an aborted signal ends the reading of a file, gzip or not', async () => {
    const path = join(makeFolder(), 'x');
    for (const bytes of [Buffer.alloc(1 << 20, 'x\n'), gzipSync(Buffer.alloc(1 << 22, 'x\n'), { level: 0 })]) {
      writeFileSync(path, bytes);
      const controller = new AbortController();
      const blocks = (await openInput(path, controller.signal)).blocks[Symbol.asyncIterator]();
      await blocks.next();
      controller.abort(new Error('ended'));
      await expect(collectText({ [Symbol.asyncIterator]: () => blocks })).rejects.toThrow('ended');
    }
  });
});
