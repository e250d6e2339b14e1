import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROJECT } from './support/run.js';

const SOURCES = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(PROJECT, 'src', path), 'utf8') }));

/** The files of src that hold something. */
function filesWith(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

describe('SECURITY.md', () => {
  test('no code is made of input, and no program is started', () => {
    expect(filesWith(/node:(?:child_process|cluster|vm|worker_threads|module)'/)).toEqual([]);
    expect(filesWith(/\beval\(|\bFunction\(|\bimport\((?!')/)).toEqual([]);
  });

  test('nothing but serve opens a network connection', () => {
    expect(filesWith(/node:(?:https|http2|tls|dgram|dns)'|\bfetch\(|WebSocket/)).toEqual([]);
    for (const path of filesWith(/node:http'/)) expect(path).toMatch(/^serve\//);
    // Of node:net only what reads and writes a descriptor that is open already.
    const fromNet = SOURCES.flatMap(({ text }) => text.match(/^import .* from 'node:net';$/gm) ?? []);
    expect(new Set(fromNet)).toEqual(new Set(["import { Socket } from 'node:net';"]));
    expect(filesWith(/\.connect\(/)).toEqual([]);
  });

  test('names tests that are there', () => {
    const named = readFileSync(join(PROJECT, 'SECURITY.md'), 'utf8').match(/test\/[\w/.-]+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    for (const path of named) expect(() => readFileSync(join(PROJECT, path))).not.toThrow(/ENOENT/);
  });
});
