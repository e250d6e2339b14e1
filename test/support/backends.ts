import { expect } from '@jest/globals';
import { Backends, readEvents } from '../../src/receive/backends.js';
import { refusedBy } from '../../src/receive/bodies.js';
import { LineBuffer } from '../../src/receive/lines.js';
import type { Reply, RequestHead } from '../../src/receive/protocols.js';

export const HEAD: RequestHead = { method: 'POST', path: '/', query: '', type: '', accept: '', encoding: '', channel: '' };

export function textOf(reply: Reply | undefined): string {
  return [reply?.body ?? ''].flatMap((body) => (typeof body === 'string' ? body : [...body])).join('');
}

/** Handles the body of a request, byte strings. @returns the answer, and the lines that are written */
export async function handle(
  given: Partial<RequestHead>,
  body: string,
  backends = new Backends(),
): Promise<{ status: number; type: string; headers: readonly string[]; body: string; lines: string }> {
  const head = { ...HEAD, ...given };
  const protocol = backends.protocolOf(head.path);
  const bytes = Buffer.from(body, 'latin1');
  const lines = new LineBuffer();
  const flatten = (reply: Reply, written: string) => ({ headers: [], ...reply, body: textOf(reply), lines: written });
  lines.begin(bytes);
  try {
    const asked = backends.answer(head, bytes);
    if (asked !== undefined) return flatten(asked, '');
    const { answer } = await readEvents(protocol, bytes, lines, head);
    const written = lines.bytes.toString('latin1');
    expect(lines.count).toBe(written.split('\n').length - 1);
    return flatten(answer(), written);
  } catch (error) {
    const { status, message } = refusedBy(error);
    return flatten(protocol.refuse(status, message, head), '');
  }
}
