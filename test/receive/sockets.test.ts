import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CallError } from '../../src/errors.js';
import { AnsweringWriter } from '../../src/http/answering-writer.js';
import { LineBuffer } from '../../src/receive/lines.js';
import { MAX_MESSAGE_BYTES, MessageCutter } from '../../src/receive/messages.js';
import { MessageSockets, type SocketOptions } from '../../src/receive/sockets.js';
import { HeldOutput } from '../support/held-output.js';
import { until } from '../support/until.js';

/** Cuts chunks of a connection, byte strings. @returns the lines of its messages, and what is said */
function cut(chunks: readonly string[]): { readonly lines: readonly string[]; readonly said: readonly string[] } {
  const lines = new LineBuffer();
  const said: string[] = [];
  const cutter = new MessageCutter(lines, (problem) => said.push(problem));
  for (const chunk of chunks) cutter.push(Buffer.from(chunk, 'latin1'));
  cutter.end();
  return { lines: lines.bytes.toString('latin1').split('\n').slice(0, -1), said };
}

const linesOf = (messages: readonly string[]): readonly string[] => messages.map((message) => JSON.stringify({ message }));

/** Cuts a text into chunks at some places. */
function chunksOf(text: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...cuts.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}

const CUTS = fc.array(fc.nat(), { maxLength: 8 });

describe('the messages of a connection', () => {
  const LINE = fc.string({ unit: fc.constantFrom('a', '1', ' ', '<', '\xff', '\r'), maxLength: 6 });

  test('are its lines, wherever the chunks end', () => {
    fc.assert(
      fc.property(fc.array(LINE), CUTS, (lines, cuts) => {
        const text = lines.map((line) => `${line}\n`).join('');
        fc.pre(!/^[1-9]\d* ?[<[{]?/.test(text));
        expect(cut(chunksOf(text, cuts))).toEqual({ lines: linesOf(lines), said: [] });
      }),
    );
  });

  test('are counted if the first one is, wherever the chunks end; an LF behind a message is not one', () => {
    const message = fc.string({ unit: fc.constantFrom('a', '1', ' ', '\n', '\xff'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), CUTS, fc.constantFrom('', '\n'), (contents, cuts, end) => {
        const messages = contents.map((content) => `<11>${content}`);
        const text = messages.map((each) => `${String(each.length)} ${each}${end}`).join('');
        expect(cut(chunksOf(text, cuts))).toEqual({ lines: linesOf(messages), said: [] });
      }),
    );
  });

  const ENDED = 'the connection ended in the middle of a message';

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['nothing', [], [], []],
    ['a line without an end', ['a\nb'], ['a', 'b'], [ENDED]],
    ['a number', ['12'], ['12'], [ENDED]],
    ['a number and a space', ['12 ', 'x\n'], ['12 x'], []],
    ['a line that begins with a number', ['12 monkeys\n'], ['12 monkeys'], []],
    ['a stamp in brackets', ['[18-May-2025 12:00:00 +0200]: x\n'], ['[18-May-2025 12:00:00 +0200]: x'], []],
    ['a counted message that is cut', ['9 <11>ab'], ['<11>ab'], [ENDED]],
    ['a length without its message', ['5 <11>a3'], ['<11>a', '3'], [ENDED]],
    ['a line that begins with a number and a date', ['10 2025-05-18 12:00:00 x\n'], ['10 2025-05-18 12:00:00 x'], []],
    ['a line of CRI', ['2025-05-18T10:00:00Z stderr F 12 x\n'], ['2025-05-18T10:00:00Z stderr F 12 x'], []],
    ['counted lines of CRI', ['35 2025-05-18T10:00:0', '0.123Z stderr F x1 y'], ['2025-05-18T10:00:00.123Z stderr F x', 'y'], []],
    ['counted lines of syslog', ['22 May  8 12:00', ':00 h p: x1 y'], ['May  8 12:00:00 h p: x', 'y'], []],
    ['a counted record, and JSON', ['3 [x]2 {}'], ['[x]', '{}'], []],
    [
      'counted messages that are not counted any more',
      ['3 <1>a\nb\n'],
      ['<1>', 'a', 'b'],
      ['a message without its length; lines are read from there on'],
    ],
  ])('%s', (_what, chunks, messages, said) => {
    expect(cut(chunks)).toEqual({ lines: linesOf(messages), said });
  });

  test.each([
    ['a line', 'x'.repeat(MAX_MESSAGE_BYTES + 5), '\nb\n', 'b'],
    ['a counted message', `${String(MAX_MESSAGE_BYTES + 5)} <${'x'.repeat(MAX_MESSAGE_BYTES + 4)}`, '3 <1>', '<1>'],
  ])('%s of more than 2 MiB is cut there', (_what, long, rest, next) => {
    const { lines, said } = cut([long.slice(0, 100_000), long.slice(100_000), rest]);
    expect(lines).toEqual(linesOf([long.replace(/^\d+ /, '').slice(0, MAX_MESSAGE_BYTES), next]));
    expect(said).toEqual(['a message of more than 2 MiB was cut there']);
  });
});

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Listens on a free port of each sort. */
async function start(output = new HeldOutput([], true, 'line'), given: Partial<SocketOptions> = {}) {
  const ports = new Map<string, number>();
  const said: string[] = [];
  const address = { host: '127.0.0.1', port: 0 };
  const options: SocketOptions = {
    tcp: [{ ...address, option: 'tcp' }],
    udp: [{ ...address, option: 'udp' }],
    onListening: (url) => ports.set(url.slice(0, 3), Number(/\d+$/.exec(url)?.[0])),
    warn: (message) => said.push(message.replace(/^127\.0\.0\.1:\d+/, 'ADDRESS')),
    maxFileBytes: 1000,
    ...given,
  };
  const writer = new AnsweringWriter(output, (message) => said.push(message), false);
  const sockets = new MessageSockets(options, writer, { bytes: 0 });
  await sockets.listen();
  open.push(() => sockets.close());
  const connectTo = async (): Promise<Socket> => {
    const socket = connect(ports.get('tcp') ?? 0);
    open.push(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { sockets, output, said, ports, connectTo };
}

const FULL = { standing: 0, error: new CallError({ source: 'r.ndjson' }, 'no space left on the device', 'free some space') };

describe('sockets', () => {
  test('a line, a counted message and a datagram are a line each', async () => {
    const { output, ports, connectTo, said } = await start();
    for (const bytes of ['a "\xff"\n', '5 <1>\nb']) (await connectTo()).end(bytes, 'latin1');
    const datagrams = createSocket('udp4');
    open.push(() => datagrams.close());
    for (const text of ['<1>c', 'd\n', 'x'.repeat(60_000)]) datagrams.send(Buffer.from(text), ports.get('udp'), '127.0.0.1');
    await until(() => output.written === 5);
    const lines = ['a \\"\xff\\"', '<1>\\nb', '<1>c', 'd', 'x'.repeat(60_000)].map((message) => `{"message":"${message}"}\n`);
    expect(output.writes.join('').match(/.*\n/g)?.sort()).toEqual(lines.sort());
    expect(said).toEqual([]);
  });

  test('lines of hundreds of connections stay whole, and those of one in order', async () => {
    const { output, connectTo } = await start();
    const connections = await Promise.all(Array.from({ length: 200 }, connectTo));
    for (let n = 0; n < 5; n += 1)
      for (const [index, socket] of connections.entries()) socket.write(`${String(index)}:${String(n)}\n`);
    for (const socket of connections) socket.end();
    await until(() => output.written === 1000);
    const lines = output.writes.join('').split('\n').slice(0, -1);
    for (let index = 0; index < 200; index += 1) {
      const mine = lines.filter((line) => line.startsWith(`{"message":"${String(index)}:`));
      expect(mine).toEqual([0, 1, 2, 3, 4].map((n) => `{"message":"${String(index)}:${String(n)}"}`));
    }
  });

  test('an output that takes nothing stops the reading, and loses nothing of what was read', async () => {
    const { output, connectTo, said } = await start(new HeldOutput([FULL], true, 'line'));
    (await connectTo()).end(`${'x'.repeat(500)}\n`.repeat(10));
    await until(() => output.written === 10);
    expect(output.writes.join('')).toBe(`{"message":"${'x'.repeat(500)}"}\n`.repeat(10));
    expect(said).toEqual([
      'r.ndjson: no space left on the device; until it takes lines again, what arrives waits',
      'r.ndjson: it takes lines again',
    ]);
  });

  test('what is read and cannot be written until the end is counted', async () => {
    const full = Array.from({ length: 9 }, () => FULL);
    const { sockets, connectTo, said } = await start(new HeldOutput(full, true, 'line'));
    (await connectTo()).write('a\nb\n');
    await until(() => said.length > 0);
    await sockets.close();
    expect(said.at(-1)).toBe('2 lines that had been read could not be written');
  });

  test('at the end, the rest of a message is a line', async () => {
    const { sockets, output, connectTo, said } = await start();
    (await connectTo()).write('a\nhalf');
    await until(() => output.written === 1);
    await sockets.close();
    expect(output.writes.join('')).toBe('{"message":"a"}\n{"message":"half"}\n');
    expect(said).toEqual(['ADDRESS: the connection ended in the middle of a message']);
  });

  test('an address that is in use names its option', async () => {
    const { ports } = await start();
    const inUse = (sort: string): object => ({ host: '127.0.0.1', port: ports.get(sort) ?? 0, option: sort });
    for (const sort of ['tcp', 'udp']) {
      const given = { tcp: [], udp: [], [sort]: [inUse(sort)] };
      await expect(start(undefined, given)).rejects.toThrow(
        new RegExp(`^options.${sort}: port \\d+ of "127.0.0.1" is in use; give another`),
      );
    }
  });
});
