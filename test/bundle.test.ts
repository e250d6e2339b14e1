import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT, requireBuild } from './support/built.js';

requireBuild();

const FOLDER = join(PROJECT, 'dist/cli');

/** The modules of src in a chunk of the bundled command, from src on. */
function modulesOf(chunk: string): readonly string[] {
  const map = readdirSync(FOLDER).find((file) => file.startsWith(`${chunk}-`) && file.endsWith('.cjs.map'));
  const text = readFileSync(join(FOLDER, map ?? `no chunk ${chunk}`), 'utf8');
  const [, sources = ''] = /"sources":\[([^\]]*)\]/.exec(text) ?? [];
  return Array.from(sources.matchAll(/\/src\/([^"]+)"/g), ([, path = '']) => path);
}

/** What each chunk that a run of `serve` or `replay --help` loads may hold: a file more costs every start. */
test.each([
  ['start', /^(?:cli\/[^/]+|version|log\/byte-string|errors|wording|lines)\.ts$/],
  [
    'core',
    // Of a log that is read back only its end, for `replay --order strict -o`; of faults what the help lists.
    /^(?:arguments\.ts|(?:requests|log|input|output|envelope)\/|cli\/(?:options\/|[^/]+$)|reading\/(?:log-ends|deprecation-instants)\.|faults\/(?:foreign\/)?(?:kinds|rates)\.)/,
  ],
])('the chunk %s holds no other rooms', (chunk, allowed) => {
  const modules = modulesOf(chunk);
  expect(modules.length).toBeGreaterThan(5);
  expect(modules.filter((path) => !allowed.test(path))).toEqual([]);
});
