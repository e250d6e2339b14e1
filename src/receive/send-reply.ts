import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from './protocol.js';

/** Sends an answer. A client that has gone does not take it, which is no fault. */
export async function sendReply(response: ServerResponse, { status, type, headers = [], body }: Reply): Promise<void> {
  const always = ['Content-Type', type, ...headers];
  if (typeof body !== 'string') {
    response.writeHead(status, always);
    await pipeline(Readable.from(body), response).catch(() => undefined);
  } else if (status === 204) {
    response.writeHead(status);
    response.end();
  } else {
    response.writeHead(status, [...always, 'Content-Length', String(body.length)]);
    response.end(body, 'latin1');
  }
}

/** Closes the connection of a request in place of an answer, once the answers to earlier requests on the connection have been sent. */
export function loseAnswer(response: ServerResponse): void {
  const close = (socket: NonNullable<ServerResponse['socket']>): void => {
    socket.destroySoon();
  };
  if (response.socket !== null) close(response.socket);
  else response.once('socket', close);
}
