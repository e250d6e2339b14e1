import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A port for a server of another program: below those that outgoing connections take, so that it is free until that server listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) await once(server, 'close');
    if (isFree) return port;
  }
}

export interface RawConnection {
  readonly socket: Socket;
  /** All that the server sends until it closes the connection, a byte string. */
  readonly answer: Promise<string>;
}

/** Connects to an address such as `http://127.0.0.1:8080/`, and sends a byte string. */
export function sendRaw(address: string, bytes: string): RawConnection {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A server that closes while there is more to read resets the connection; what it has sent is what counts.
  socket.on('error', () => undefined);
  socket.write(Buffer.from(bytes, 'latin1'));
  const answer = new Promise<string>((resolve) => {
    socket.on('close', () => {
      resolve(Buffer.concat(received).toString('latin1'));
    });
  });
  return { socket, answer };
}

export function formatRequest(line: string, headers = 'Connection: close\r\n'): string {
  return `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}

export function statusesOf(answer: string): number[] {
  return Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
}
