import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { codeSpans, readPage } from '../support/pages.js';
import { PROJECT } from '../support/run.js';

const CONTRIBUTING = readPage('CONTRIBUTING.md');
const COMMANDS = readdirSync(join(PROJECT, 'src/cli'), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && entry.name !== 'options' ? [entry.name] : [],
);

/** The paths that the map names, `<command>` in them replaced by each command. */
const MAPPED = CONTRIBUTING.blocks
  .filter(({ language }) => language === 'text')
  .flatMap(({ text }) => text.match(/^\S+/gm) ?? [])
  .flatMap(ofEachCommand);

function ofEachCommand(path: string): readonly string[] {
  return path.includes('<command>') ? COMMANDS.map((command) => path.replace('<command>', command)) : [path];
}

function missing(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !existsSync(join(PROJECT, path)));
}

describe('CONTRIBUTING.md', () => {
  test('the map names every folder and every file at the top of src', () => {
    const entries = readdirSync(join(PROJECT, 'src'), { withFileTypes: true, recursive: true });
    const inSrc = entries.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name).slice(PROJECT.length);
      return entry.isDirectory() ? [`${path}/`] : path.split('/').length === 2 ? [path] : [];
    });
    expect(inSrc.length).toBeGreaterThan(15);
    expect(MAPPED.filter((path) => path.startsWith('src/')).toSorted()).toEqual(inSrc.toSorted());
  });

  test('the map and the text name paths that are there', () => {
    const named = codeSpans(CONTRIBUTING.prose)
      .flatMap((span) => /^(?:\.ci|bench|bin|docs|examples|fixtures|parsers|src|test)\/[^\s*]*$/.exec(span) ?? [])
      .flatMap(ofEachCommand);
    expect(MAPPED.length).toBeGreaterThan(20);
    expect(named.length).toBeGreaterThan(40);
    expect(missing([...MAPPED, ...named])).toEqual([]);
  });
});
