import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT } from './support/run.js';

type Imports = ReadonlyMap<string, readonly string[]>;

/** Each file of src, and the files of src that it imports: values or types, at once or later, by `import`, `export` or `import()`. */
function readImports(): Imports {
  const root = join(PROJECT, 'src');
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!\.d)\.ts$/.test(path));
  return new Map(
    paths.map((path) => {
      const specifiers = readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import\(?) ?'(\.[^']+)\.js'/g);
      return [path, Array.from(specifiers, ([, specifier = '']) => `${posix.join(posix.dirname(path), specifier)}.ts`)];
    }),
  );
}

/** All files that a file imports, directly or through others. */
function reachableFrom(start: string, imports: Imports): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const imported of imports.get(path) ?? []) {
      if (reached.has(imported)) continue;
      reached.add(imported);
      waiting.push(imported);
    }
  }
  return reached;
}

/** The files that import themselves through others. */
function circular(imports: Imports): readonly string[] {
  return Array.from(imports.keys()).filter((path) => reachableFrom(path, imports).has(path));
}

test.each<[Record<string, string[]>, string[]]>([
  [{ a: ['b', 'c'], b: ['c'], c: [] }, []],
  [{ a: ['b'], b: ['c', 'd'], c: ['b'], d: [] }, ['b', 'c']],
  [{ a: ['a'] }, ['a']],
])('circles of %j', (imports, expected) => {
  expect(circular(new Map(Object.entries(imports)))).toEqual(expected);
});

test('every file of src is part of the library or of the command line', () => {
  const imports = readImports();
  const entries = ['index.ts', 'cli/main.ts'];
  const reached = new Set(entries.flatMap((entry) => [entry, ...reachableFrom(entry, imports)]));
  expect(Array.from(imports.keys()).filter((path) => !reached.has(path))).toEqual([]);
  expect(Array.from(reached).filter((path) => !imports.has(path))).toEqual([]);
});

test('imports make no circle, those of types alone included', () => {
  expect(circular(readImports())).toEqual([]);
});
