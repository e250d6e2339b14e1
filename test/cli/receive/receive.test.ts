import type { ChildProcess } from 'node:child_process';
import { copyFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ENVELOPE_CHOICES } from '../../../src/envelope/envelopes.js';
import { call, expectRefused } from '../../support/call.js';
import { rotatedIn } from '../../support/rotated-files.js';
import { makeFolder, outcome, startRun, startShell } from '../../support/run.js';
import { addressOf } from '../../support/service.js';
import { until } from '../../support/until.js';

/** Sends a request and gives the status of the answer. */
async function send(address: string, path: string, type: string, body: string | Buffer): Promise<number> {
  const headers = { 'Content-Type': type, ...(typeof body === 'string' ? {} : { 'Content-Encoding': 'gzip' }) };
  const response = await fetch(new URL(path, address), { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
  await response.text();
  return response.status;
}

const sendText = (address: string, text: string): Promise<number> => send(address, '/x', 'text/plain', text);

async function stop(child: ChildProcess): Promise<string> {
  child.kill('SIGTERM');
  const { exit, stderr } = await outcome(child);
  expect(exit).toBe(0);
  return stderr;
}

const JSON_TYPE = 'application/json';

/** A run of `receive` in a folder that holds a log of 50 groups. */
async function startReceiving() {
  const { stdout: log } = await call('synth --mark r --count 50');
  const cwd = makeFolder({ 'sent.log': log });
  const child = startRun('receive --port 0 -o received.ndjson', { cwd });
  return { cwd, log, child, address: await addressOf(child) };
}

async function expectArrived(child: ChildProcess, cwd: string, options: string): Promise<void> {
  expect(await stop(child)).toBe('webmail-diaglog: ended by SIGTERM (400 lines written)\n');
  const compared = await call(`compare sent.log received.ndjson ${options}`, { cwd });
  expect(compared).toMatchObject({ exit: 0, stdout: expect.stringContaining('records delivered (100 %)'), stderr: '' });
}

test('end to end, Elasticsearch, packed: all of the log arrives', async () => {
  const { cwd, log, child, address } = await startReceiving();
  const documents = log.split('\n').slice(0, -1);
  const body = documents.map((message) => `{"create":{"_index":"logs"}}\n${JSON.stringify({ message })}\n`).join('');
  expect(await send(address, '/_bulk', 'application/x-ndjson', gzipSync(body))).toBe(200);
  await expectArrived(child, cwd, '--field message');
});

test.each([
  ['the line', '--field attributes.0.value.stringValue'],
  ['fields', '--fields instant=timeUnixNano,line_number=attributes.2.value.intValue'],
])('end to end, OTLP as parse --as otel writes it: all of the log arrives, by %s', async (_what, options) => {
  const { cwd, child, address } = await startReceiving();
  const { stdout: otel } = await call('parse --as otel sent.log', { cwd });
  expect(await send(address, '/v1/logs', JSON_TYPE, otel)).toBe(200);
  await expectArrived(child, cwd, options);
});

test('synth, over TCP and UDP, receive, compare: everything arrives in each envelope and framing', async () => {
  const cwd = makeFolder();
  const child = startRun('receive --tcp 0 --udp 0 -o all.ndjson', { cwd });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(() => said.includes('udp://'));
  const [, tcp = '', udp = ''] = /(tcp:\S+)\n.*(udp:\S+)\n/.exec(said) ?? [];
  const all = join(cwd, 'all.ndjson');
  const ways = ENVELOPE_CHOICES.flatMap((envelope) => [
    ['--envelope', envelope, '--framing', 'lf', '-o', tcp],
    ['--envelope', envelope, '--framing', 'octet', '-o', tcp],
    ['--envelope', envelope, '-o', udp],
  ]);
  for (const [index, way] of ways.entries()) {
    const [sent, received] = [`sent-${String(index)}.log`, `received-${String(index)}.ndjson`];
    const written = await call(['synth', '--mark', 'r', '--count', '10', '--tee', sent, ...way], { cwd });
    expect({ way, ...written }).toEqual({ way, exit: 0, stdout: '', stderr: '' });
    const lines = readFileSync(join(cwd, sent), 'latin1').split('\n').length;
    await until(() => readFileSync(all, 'latin1').split('\n').length >= lines);
    copyFileSync(all, join(cwd, received));
    truncateSync(all);
    const compared = await call(['compare', sent, received, '--field', 'message'], { cwd });
    expect({ way, ...compared }).toMatchObject({
      way,
      exit: 0,
      stdout: expect.stringContaining('delivered (100 %)'),
      stderr: '',
    });
  }
  await stop(child);
});

describe('receive', () => {
  test('writes to stdout, and ends by SIGINT with exit 0', async () => {
    const child = startRun('receive --port 0');
    expect(await sendText(await addressOf(child), 'a')).toBe(200);
    child.kill('SIGINT');
    expect(await outcome(child)).toEqual({
      exit: 0,
      stdout: '{"message":"a"}\n',
      stderr: 'webmail-diaglog: ended by SIGINT (1 line written)\n',
    });
  });

  test('rotates the file between lines, also those of one request', async () => {
    const cwd = makeFolder();
    const child = startRun('receive --port 0 -o error.log --rotate 64KiB --rotate-keep forever', { cwd });
    const address = await addressOf(child);
    const lines = Array.from({ length: 3000 }, (_, n) => `${String(n)} ${'x'.repeat(n % 300)}`);
    for (const some of [lines.slice(0, 100), lines.slice(100)]) await sendText(address, some.join('\n'));
    await stop(child);
    const files = rotatedIn(cwd);
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((text) => text.length > 65_536 || !text.endsWith('\n'))).toEqual([]);
    expect(files.join('')).toBe(lines.map((message) => `${JSON.stringify({ message })}\n`).join(''));
  });

  test('a file that may not grow: 503, and nothing of the request stands; then it goes on', async () => {
    const cwd = makeFolder();
    const file = join(cwd, 'r.ndjson');
    const child = startShell('ulimit -f 200; exec "${program[@]}" receive --port 0 -o r.ndjson', { cwd });
    const address = await addressOf(child);
    const request = (name: string, lines: number): string => `${name}${'x'.repeat(983)}\n`.repeat(lines);
    const written = (name: string, lines: number): string => `{"message":"${name}${'x'.repeat(983)}"}\n`.repeat(lines);
    expect(await sendText(address, request('a', 100))).toBe(200);
    expect(await sendText(address, request('b', 150))).toBe(503);
    expect(await sendText(address, request('c', 50))).toBe(200);
    expect(readFileSync(file, 'utf8')).toBe(written('a', 100) + written('c', 50));
    truncateSync(file);
    expect(await sendText(address, request('d', 150))).toBe(200);
    const said = [
      'r.ndjson: the file would exceed the size limit; until it takes lines again, requests are answered with 503',
      'r.ndjson: it takes lines again; 1 request was answered with 503',
      'ended by SIGTERM (300 lines written)',
    ];
    expect(await stop(child)).toBe(said.map((line) => `webmail-diaglog: ${line}\n`).join(''));
    expect(readFileSync(file, 'utf8')).toBe(written('d', 150));
  });

  test('failures on purpose are counted at the end', async () => {
    const child = startRun('receive --port 0 --fail 1 --fail-body empty');
    expect(await sendText(await addressOf(child), 'a')).toBe(503);
    expect(await stop(child)).toBe(
      'webmail-diaglog: of 1 request with events, 1 got a 503 on purpose (--fail), 0 got no answer (--lose-answer)\n' +
        'webmail-diaglog: ended by SIGTERM (0 lines written)\n',
    );
  });

  test('a call that is at fault is exit 2, and one line says why', async () => {
    await expectRefused('receive', makeFolder(), {
      '--fail 1.5': '--fail: "1.5" is not a share from 0 to 1; give one such as 0.1',
      '--fail 0.6 --lose-answer 0.5': '--fail: exceeds 1 together with --lose-answer; lower one of them',
      '--fail-status 429': '--fail-status: no request is to fail; give --fail with a share, such as 0.1',
      '--fail-body html --fail-items 0.5': '--fail-body: no request is to fail; give --fail with a share, such as 0.1',
      '--tcp 0 --fail 0.5': '--fail: applies to HTTP only; give --port too',
      '--udp 0 --fail-items 1': '--fail-items: applies to HTTP only; give --port too',
      '--tcp 0 --lose-answer 1': '--lose-answer: applies to HTTP only; give --port too',
      '--tcp 0 --delay 1s': '--delay: applies to HTTP only; give --port too',
      '--tcp 70000': '--tcp: "70000" is not an address; give a port such as 9464, or host:port',
      '--tcp 192.0.2.1:5514': '--tcp: "192.0.2.1" is not an address of this machine; give one of its own, such as 127.0.0.1',
      '--rotate 1MB': '--rotate: standard output cannot be rotated; name a file with -o',
    });
  });
});
