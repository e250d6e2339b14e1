import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROJECT } from './support/run.js';

const SOURCES = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(PROJECT, 'src', path), 'utf8') }));

/** The files of src in which a pattern is found. */
function filesWith(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

describe('SECURITY.md', () => {
  // Each pattern is tried on what it is to find: a pattern that finds nothing anywhere would hold nothing.
  test.each([
    ['starts a program', /node:(?:child_process|cluster)'/, "import { spawn } from 'node:child_process';"],
    ['loads code from elsewhere', /node:(?:module|vm|worker_threads)'/, "import { Worker } from 'node:worker_threads';"],
    ['makes code of text', /\beval\(|\bFunction\(/, 'new Function(text)'],
    ['imports a file whose name is computed', /\bimport\((?!')/, 'await import(name)'],
    ['connects over HTTPS, HTTP/2 or TLS', /node:(?:https|http2|tls)'/, "import { request } from 'node:https';"],
    ['resolves names by itself', /node:dns\b/, "import { lookup } from 'node:dns/promises';"],
    ['fetches (PHP of a stack trace apart)', /(?<!->)\bfetch\(|WebSocket|EventSource/, 'await fetch(url)'],
  ])('nothing %s', (_what, pattern, example) => {
    expect(example).toMatch(pattern);
    expect(filesWith(pattern)).toEqual([]);
  });

  test('nothing but http, serve, receive and the metrics of canary uses HTTP, and nothing but http/listen.ts listens', () => {
    const usesHttp = filesWith(/node:http'/);
    expect(usesHttp).toContain('http/run-server.ts');
    expect(usesHttp.filter((path) => !/^(?:http|serve|receive)\//.test(path))).toEqual(['canary/metrics.ts']);
    expect(filesWith(/\.listen\(/).filter((path) => path !== 'receive/receive.ts')).toEqual(['http/listen.ts']);
    expect(filesWith(/\bsocket\.bind\(/)).toEqual(['receive/sockets.ts']);
  });

  test('nothing but the sink of a socket connects, to the address that -o or <log> gives', () => {
    expect(filesWith(/\bconnect\(|\bcreateConnection\(/)).toEqual(['output/socket-sink.ts']);
    expect(filesWith(/node:dgram'/).sort()).toEqual(['output/socket-sink.ts', 'receive/sockets.ts']);
    const sockets = SOURCES.flatMap(({ text }) => text.match(/new Socket\(.*/g) ?? []);
    expect(sockets).toHaveLength(filesWith(/new Socket\(/).length);
    for (const socket of sockets) expect(socket).toContain('{ fd, ');
  });

  test('names tests that exist', () => {
    const named = readFileSync(join(PROJECT, 'SECURITY.md'), 'utf8').match(/test\/[\w/.-]+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });
});
