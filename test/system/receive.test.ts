import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { makeFolder, outcome, startRun } from '../support/run.js';

const MIB = 1 << 20;

const ENOUGH_MB = 600;

function bodyOf(text: string): Buffer {
  return Buffer.alloc(64 * MIB - ((64 * MIB) % text.length), text);
}

function post(port: number, path: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, method: 'POST', headers }, (response) => {
      response.resume().on('end', () => {
        resolve(response.statusCode ?? 0);
      });
    });
    sent.on('error', reject).end(body);
  });
}

const TEXT = { 'Content-Type': 'text/plain' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

test.each<[string, number, string, () => Buffer, Readonly<Record<string, string>>, number]>([
  ['four bodies of 64 MiB at once', 4, '/x', () => bodyOf('{"message":"0123456789012345678901234"}\n'), JSON_TYPE, 200],
  ['four texts of short lines', 4, '/x', () => bodyOf('0123456789012345678901\n'), TEXT, 200],
  ['four millions of documents', 1, '/_bulk', () => bodyOf('{"index":{}}\n{}\n'), JSON_TYPE, 200],
  [
    'six gzips of 64 MiB',
    6,
    '/x',
    () => gzipSync(bodyOf('0123456789012345678901\n')),
    { ...TEXT, 'Content-Encoding': 'gzip' },
    200,
  ],
  ['a bomb of gzip', 4, '/x', () => gzipSync(Buffer.alloc(1000 * MIB)), { ...TEXT, 'Content-Encoding': 'gzip' }, 413],
  ['arrays in arrays', 4, '/x', () => bodyOf('['), JSON_TYPE, 400],
  ['many members', 1, '/services/collector', () => Buffer.from(`{"event":1${',"a":1'.repeat(10 * MIB)}}`), JSON_TYPE, 200],
  [
    'records of OTLP that hold nothing but empty attributes',
    2,
    '/v1/logs',
    () => {
      // resourceLogs, scopeLogs, logRecords, each with its length in five bytes.
      const attributes = Buffer.alloc(20 * MIB, '2\0');
      const wrap = (field: number, content: Buffer): Buffer => {
        const length = [0, 7, 14, 21, 28].map((shift) => ((content.length >> shift) & 0x7f) | (shift < 28 ? 0x80 : 0));
        return Buffer.concat([Buffer.from([(field << 3) | 2, ...length]), content]);
      };
      return wrap(1, wrap(2, wrap(2, attributes)));
    },
    { 'Content-Type': 'application/x-protobuf' },
    413,
  ],
  [
    'a Snappy block that promises 2 GiB',
    4,
    '/loki/api/v1/push',
    () => Buffer.concat([Buffer.from([0x80, 0x80, 0x80, 0x80, 0x08]), Buffer.alloc(MIB)]),
    { 'Content-Type': 'application/x-protobuf' },
    413,
  ],
  ['nothing but ends of lines', 1, '/x', () => bodyOf('\n'), TEXT, 413],
])('receive stays below 600 MB: %s', async (_what, count, path, body, headers, status) => {
  const child = startRun(['receive', '--port', '0', '-o', join(makeFolder(), 'r.ndjson')]);
  const said: unknown[] = await once(child.stderr ?? child, 'data');
  const port = Number(/:(\d+)\/\n/.exec(String(said[0]))?.[1]);
  const bytes = body();
  const statuses = await Promise.all(Array.from({ length: count }, () => post(port, path, bytes, headers)));
  expect(statuses).toEqual(Array.from({ length: count }, () => status));
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8'))?.[1];
  child.kill('SIGTERM');
  expect((await outcome(child)).exit).toBe(0);
  expect(Number(peak) / 1024).toBeLessThan(ENOUGH_MB);
});
