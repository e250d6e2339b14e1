import { appendFileSync, closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CallError, ReaderGoneError } from '../../src/errors.js';
import { Destination, type Sink } from '../../src/output/destination.js';
import { FileSink } from '../../src/output/file-sink.js';
import { packetOf } from '../support/packets.js';
import { makeFolder } from '../support/run.js';

/** The lines that a write leaves, and the error. */
interface Refusal {
  readonly standing: number;
  readonly error: Error;
}

/** An output in memory, which takes writes at once or when it is let go, unless it is to refuse one. */
class HeldSink implements Sink {
  readonly stats = statSync('/dev/null');
  readonly takeBack?: () => void;
  taken = 0;
  readonly writes: string[] = [];
  readonly #plan: ('taken' | Refusal)[];
  held: Promise<void> = Promise.resolve();

  constructor(plan: ('taken' | Refusal)[] = [], mayRecover = true) {
    this.#plan = plan;
    if (mayRecover) this.takeBack = () => undefined;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const outcome = this.#plan.shift() ?? 'taken';
    await this.held;
    const lines = Buffer.from(bytes).toString('latin1').match(/.*\n/g) ?? [];
    const standing = lines.slice(0, outcome === 'taken' ? undefined : outcome.standing).join('');
    this.writes.push(standing);
    this.taken = standing.length;
    if (outcome !== 'taken') throw outcome.error;
  }
}

/** An output whose writes go to a copy first. */
const teeOf = (sink: Sink, copy: Destination): Destination => new Destination(sink, 'group', copy);

const FULL = new CallError({ source: 'error.log' }, 'no space left on the device', 'free some space');

/** A copy in a file that holds a line already. */
function openCopy() {
  const path = join(makeFolder(), 'copy.log');
  appendFileSync(path, 'before\n');
  const fd = openSync(path, 'a+');
  const end = (): void => {
    closeSync(fd);
  };
  return { copy: new Destination(new FileSink(fd, path), 'group'), path, read: () => readFileSync(path, 'utf8'), end };
}

describe('an output with a copy', () => {
  test('the copy holds everything before the output does, and what the output holds is counted', async () => {
    const output = new HeldSink();
    const { copy, read, end } = openCopy();
    const tee = teeOf(output, copy);
    let letGo = (): void => undefined;
    output.held = new Promise((resolve) => (letGo = resolve));
    const writing = tee.write(packetOf('a', 'b'));
    await new Promise(setImmediate);
    expect({ copy: read(), output: output.writes, written: tee.written }).toEqual({
      copy: 'before\na\nb\n',
      output: [],
      written: 0,
    });
    letGo();
    await writing;
    end();
    expect(output.writes).toEqual(['a\nb\n']);
    expect(tee).toMatchObject({ noun: 'group', written: 2, last: { line: 2 }, mayRecover: true });
  });

  test.each([0, 1, 2])('an output that refuses a write after %i of 3 groups: the copy holds no more', async (standing) => {
    const output = new HeldSink(['taken', { standing, error: FULL }]);
    const { copy, read, end } = openCopy();
    const tee = teeOf(output, copy);
    await tee.write(packetOf('a'));
    await expect(tee.write(packetOf('b', 'c', 'd'))).rejects.toBe(FULL);
    expect(read()).toBe(`before\n${output.writes.join('')}`);
    expect(tee.written).toBe(1 + standing);
    // The disk has been freed.
    await tee.write(packetOf('e'));
    end();
    expect(read()).toBe(`before\n${output.writes.join('')}`);
  });

  test('another program that appends to the copy keeps it from being cut', async () => {
    const { copy, path, read, end } = openCopy();
    const output = new HeldSink([{ standing: 0, error: FULL }]);
    let letGo = (): void => undefined;
    output.held = new Promise((resolve) => (letGo = resolve));
    const writing = teeOf(output, copy).write(packetOf('a'));
    writing.catch(() => undefined);
    await new Promise(setImmediate);
    appendFileSync(path, 'other\n');
    letGo();
    await expect(writing).rejects.toBe(FULL);
    end();
    expect(read()).toBe('before\na\nother\n');
  });

  test('a reader that goes away may have read what it was given: the copy holds it', async () => {
    const gone = new ReaderGoneError('the reader went away');
    const output = new HeldSink([{ standing: 0, error: gone }], false);
    const { copy, read, end } = openCopy();
    const tee = teeOf(output, copy);
    await expect(tee.write(packetOf('a'))).rejects.toBe(gone);
    end();
    expect({ copy: read(), mayRecover: tee.mayRecover }).toEqual({ copy: 'before\na\n', mayRecover: false });
  });

  test.each([0, 1, 2])('a copy that refuses a write after %i of 3 groups: the output gets these', async (standing) => {
    const copy = new HeldSink([{ standing, error: FULL }]);
    const output = new HeldSink();
    const tee = teeOf(output, new Destination(copy, 'group'));
    await expect(tee.write(packetOf('a', 'b', 'c'))).rejects.toBe(FULL);
    expect(output.writes.join('')).toBe(copy.writes.join(''));
    expect(tee).toMatchObject({ written: standing, last: standing === 0 ? undefined : { line: standing } });
  });
});
