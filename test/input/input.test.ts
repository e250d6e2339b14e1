import { spawnSync } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { CallError, DataError } from '../../src/errors.js';
import { openInput } from '../../src/input/input.js';
import { Peekable } from '../../src/input/peekable.js';
import { chunksOf, collect } from '../support/bytes.js';
import { makeFolder } from '../support/run.js';

const { signal } = new AbortController();

const textOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString('latin1');
  return text;
};

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
    expect(await textOf(input.peek())).toBe(content);
    expect(input.counts.bytesRead).toBe(0);
    expect(await textOf(input.blocks)).toBe(content);
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
    expect(await textOf(input.blocks)).toBe(content);
    expect(input.hasMore()).toBe(false);
    expect(input.counts.bytesRead).toBe(gzipSync(content).length);
    expect(input.counts.bytesGiven).toBe(content.length);
  });

  test('a gzip that is cut: what came before, then an error', async () => {
    const path = join(makeFolder(), 'x.gz');
    writeFileSync(path, gzipSync(content).subarray(0, -20));
    const input = await openInput(path, signal);
    let read = 0;
    await expect(
      (async () => {
        for await (const chunk of input.blocks) read += chunk.length;
      })(),
    ).rejects.toThrow(`${path}: its gzip ends early; copy the file again`);
    expect(read).toBeGreaterThan(0);
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
      const input = await openInput(path, controller.signal);
      await expect(
        (async () => {
          for await (const _ of input.blocks) controller.abort(new Error('ended'));
        })(),
      ).rejects.toThrow('ended');
    }
  });
});

describe('Peekable', () => {
  test('what is peeked at is given again, then the rest', async () => {
    const bytes = new Peekable(chunksOf('abcdef', [2, 4]));
    const peeked = bytes.peek();
    await peeked.next();
    await peeked.return(undefined);
    expect(bytes.hasMore).toBe(true);
    expect(await textOf(bytes.peek())).toBe('abcdef');
    expect((await collect(bytes)).map(String)).toEqual(['ab', 'cd', 'ef']);
    expect(bytes.hasMore).toBe(false);
  });

  test('keeps chunks whose memory is used again', async () => {
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.alloc(1);
      for (const letter of 'abc') {
        buffer.write(letter);
        await Promise.resolve();
        yield buffer;
      }
    };
    const bytes = new Peekable(chunks());
    expect(await textOf(bytes.peek())).toBe('abc');
    expect(await textOf(bytes)).toBe('abc');
  });

  test('keeps 16 MiB and a chunk at most', async () => {
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 24; count += 1) {
        await Promise.resolve();
        yield Buffer.alloc(1 << 20);
      }
    };
    const bytes = new Peekable(chunks());
    expect(await collect(bytes.peek())).toHaveLength(16);
    expect(await collect(bytes)).toHaveLength(24);
  });

  test('an error is thrown by the peeking, and after what came before it by the reading', async () => {
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunksOf('ab');
      throw new Error('gone');
    };
    const bytes = new Peekable(chunks());
    for (const _ of [1, 2]) await expect(textOf(bytes.peek())).rejects.toThrow('gone');
    const reading = bytes[Symbol.asyncIterator]();
    expect(String((await reading.next()).value)).toBe('ab');
    await expect(reading.next()).rejects.toThrow('gone');
  });

  test('ends its source when the reading is left', async () => {
    let isClosed = false;
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield* chunksOf('abc', [1]);
      } finally {
        isClosed = true;
      }
    };
    for await (const _ of new Peekable(chunks())) break;
    expect(isClosed).toBe(true);
  });
});
