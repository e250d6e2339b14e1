import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { flagOf } from '../../src/cli/flags.js';
import { loadCommands } from '../../src/cli/main.js';
import { VERSION } from '../../src/export/version.js';
import { PROJECT } from '../support/built.js';

function readExample(path: string): string {
  return readFileSync(join(PROJECT, 'examples', path), 'utf8');
}

test('the compose file calls commands with options that there are', async () => {
  const commands = new Map((await loadCommands()).map((command) => [command.name, command]));
  const lines = Array.from(readExample('docker/compose.yaml').matchAll(/command: \[(.*)\]$/gm), ([, line = '']) =>
    line.split(', '),
  );
  const calls = lines.filter(([first = '']) => commands.has(first));
  expect(calls.map(([first]) => first)).toEqual(['canary', 'receive']);
  for (const [first = '', ...words] of calls) {
    const known = Object.keys(commands.get(first)?.options ?? {}).map(flagOf);
    expect(words.filter((word) => word.startsWith('--') && !known.includes(word))).toEqual([]);
  }
});

test.each([
  'docker/compose.yaml',
  'kubernetes/canary.yaml',
  'kubernetes/make.yaml',
  'kubernetes/compare.yaml',
  'canary/deployment.yaml',
])('examples/%s names the image of this version', (path) => {
  const images = readExample(path).match(/(?<=image: )\S*webmail-diaglog\S*/g) ?? [];
  expect(images.length).toBeGreaterThan(0);
  expect(new Set(images)).toEqual(new Set([`registry.example/webmail-diaglog:${VERSION}`]));
});
