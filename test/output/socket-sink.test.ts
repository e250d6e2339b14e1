import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { CallError, DataError } from '../../src/errors.js';
import type { Destination } from '../../src/output/destination.js';
import { openDestination } from '../../src/output/open-destination.js';
import type { SocketSettings } from '../../src/output/socket-sink.js';
import { QUIET, ROTATION } from '../support/opened-log.js';
import { packetOf } from '../support/packets.js';
import { makeFolder } from '../support/run.js';
import { until } from '../support/until.js';

const closers: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that keeps what it is sent, a byte string. */
async function listen(at: string | number = 0) {
  const connections: Socket[] = [];
  const received = { text: '' };
  const server: Server = createServer((socket) => {
    connections.push(socket);
    socket.on('data', (chunk) => (received.text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
  });
  server.listen(typeof at === 'number' ? { port: at, host: '127.0.0.1' } : { path: at });
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    for (const socket of connections) socket.destroy();
  };
  closers.push(close);
  return { received, close, port: portOf(server.address()) };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function open(output: string, socket: SocketSettings = {}, signal = QUIET.signal): Promise<Destination> {
  return openDestination(output, { ...QUIET, signal, socket });
}

describe('a stream socket', () => {
  test.each<[SocketSettings, string]>([
    [{}, 'a\nb\xff\nc\n'],
    [{ framing: 'lf' }, 'a\nb\xff\nc\n'],
    [{ framing: 'octet' }, '1 a2 b\xff1 c'],
  ])('takes records, framed by %j', async (settings, text) => {
    const { received, port } = await listen();
    const output = await open(`tcp://127.0.0.1:${String(port)}`, settings);
    await output.write(packetOf('a\nb\xff', 'c'));
    expect([output.written, output.connection]).toEqual([2, { isOpen: true, reconnects: 0 }]);
    output.close();
    await until(() => received.text.length === text.length);
    expect(received.text).toBe(text);
  });

  test('may be a Unix socket, and have a name', async () => {
    const path = join(makeFolder(), 's');
    const named = await listen();
    const unix = await listen(path);
    for (const address of [`unix:${path}`, `tcp://localhost:${String(named.port)}`]) {
      const output = await open(address);
      await output.write(packetOf('a'));
      output.close();
    }
    await until(() => unix.received.text + named.received.text === 'a\na\n');
    rmSync(path, { force: true });
  });

  test('stays open when a signal ends the run, for the group at hand', async () => {
    const { received, port } = await listen();
    const controller = new AbortController();
    const output = await open(`tcp://127.0.0.1:${String(port)}`, {}, controller.signal);
    controller.abort();
    await output.write(packetOf('a'));
    output.close();
    await until(() => received.text === 'a\n');
  });

  test('whose receiver goes away fails the write', async () => {
    const { received, port, close } = await listen();
    const address = `tcp://127.0.0.1:${String(port)}`;
    const output = await open(address);
    await output.write(packetOf('a'));
    await until(() => received.text === 'a\n');
    close();
    const writing = async (): Promise<void> => {
      for (;;) {
        await output.write(packetOf('b'));
        await new Promise(setImmediate);
      }
    };
    await expect(writing()).rejects.toThrow(CallError);
    output.close(new Error('failed'));
  });

  test('is connected again if it is to be; what is written meanwhile is lost', async () => {
    const first = await listen();
    const output = await open(`tcp://127.0.0.1:${String(first.port)}`, { reconnects: true });
    closers.push(() => {
      output.close();
    });
    await output.write(packetOf('a'));
    await until(() => first.received.text === 'a\n');
    first.close();
    while (output.connection?.isOpen === true) {
      await output.write(packetOf('lost'));
      await new Promise(setImmediate);
    }
    await output.write(packetOf('lost'));
    const second = await listen(first.port);
    await until(() => output.connection?.isOpen === true);
    await output.write(packetOf('b'));
    await until(() => second.received.text === 'b\n');
    expect(output.connection).toEqual({ isOpen: true, reconnects: 1 });
  });
});

describe('UDP', () => {
  test('each record is a datagram without LF; one that does not fit is an error of the data', async () => {
    const received: string[] = [];
    const socket = createSocket('udp4');
    closers.push(() => socket.close());
    socket.on('message', (message) => received.push(message.toString('latin1')));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const output = await open(`udp://127.0.0.1:${String(socket.address().port)}`);
    await output.write(packetOf('a\nb\xff', 'c'));
    await until(() => received.length === 3);
    expect(received).toEqual(['a', 'b\xff', 'c']);
    await expect(output.write(packetOf('x'.repeat(65_508)))).rejects.toThrow(DataError);
    output.close();
  });
});

test.each([
  ['tcp://127.0.0.1', 'has no port; give one such as tcp://127.0.0.1:514'],
  ['tcp://127.0.0.1:', 'has no port; give one such as tcp://127.0.0.1:514'],
  ['udp://h:0', 'has the port 0; give a port from 1 to 65535'],
  ['tcp://h:70000', 'has the port 70000; give a port from 1 to 65535'],
  ['tcp://::1:514', 'is not an address; give one such as tcp://127.0.0.1:514 or udp://[::1]:514'],
  ['tcp://[h]:514', 'is not an address; give one such as tcp://127.0.0.1:514 or udp://[::1]:514'],
  ['tcp:h:514', 'is not an address; give one such as tcp://127.0.0.1:514 or udp://[::1]:514'],
  ['unix:', 'the path of the socket is empty; give one such as unix:/run/log.sock'],
  ['unix:/no/where', 'no such socket; check the path, and that the receiver runs'],
  ['udp://no.such.host.invalid:5', 'the host does not resolve; check its name'],
  ['tcp://127.0.0.1:1', 'the connection was refused; check that the receiver runs and the address is right'],
])('%s is refused', async (address, message) => {
  await expect(open(address)).rejects.toMatchObject({ name: 'CallError', message: `${address}: ${message}` });
});

test.each<[string, Parameters<typeof openDestination>[1], string]>([
  ['tcp://h:1', QUIET, 'tcp://h:1: a socket cannot be written to here; name a file'],
  ['x.log', { ...QUIET, socket: { framing: 'octet' } }, 'framing: the output is not a socket'],
  ['tcp://h:1', { ...QUIET, socket: {}, rotation: { ...ROTATION, maxBytes: 1 } }, 'rotate: a socket cannot be rotated'],
  ['tcp://h:1', { ...QUIET, socket: {}, rotation: ROTATION }, 'rotateEvery: a socket cannot be rotated'],
  ['udp://h:1', { ...QUIET, socket: { framing: 'octet' } }, 'framing: a datagram is one record'],
])('what does not go together with the output %s is refused: %j', async (output, options, message) => {
  await expect(openDestination(output, options)).rejects.toThrow(message);
});
