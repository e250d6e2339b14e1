import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Rolldown } from 'tsdown';

const shared = {
  platform: 'node',
  target: 'node20',
  tsconfig: 'tsconfig.json',
  sourcemap: true,
  fixedExtension: false,
  report: false,
  inputOptions: { checks: { pluginTimings: false } },
} as const;

/** The path of a module, on Windows too. */
const withSlashes = (id: string): string => id.replaceAll('\\', '/');

/** Tests the paths of modules. */
const isAt =
  (paths: RegExp) =>
  (id: string): boolean =>
    paths.test(withSlashes(id));

/**
 * The licences at the heads of modules, for a package without a file of them (`@bufbuild/protobuf`). The text of the Apache licence that
 * they name is the one that TypeScript ships.
 */
function licencesIn(modules: readonly string[]): string {
  const heads = modules.map((id) => /^(?:\/\/.*\n)+/.exec(readFileSync(id, 'utf8'))?.[0].replaceAll(/^\/\/ ?/gm, '') ?? '');
  const apache = heads.some((head) => head.includes('Apache License'))
    ? [readFileSync('node_modules/typescript/LICENSE.txt', 'utf8')]
    : [];
  return [...new Set(heads), ...apache].map((text) => text.trim()).join('\n\n');
}

/** Writes the licences of the packages that a bundle holds beside it: their texts ask for that. */
const licences: Rolldown.Plugin = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(withSlashes(id)) ?? []));
    const texts = [...folders].sort().map((folder) => {
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      const text =
        file === undefined
          ? licencesIn(modules.filter((id) => withSlashes(id).startsWith(`${folder}/`)))
          : readFileSync(join(folder, file), 'utf8');
      if (text === '') throw new Error(`${folder} has no licence`);
      return `${folder.replace(/^.*node_modules\//, '')}\n\n${text.trim()}\n`;
    });
    this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source: texts.join('\n\n') });
  },
};

export default defineConfig([
  // The library: its dependencies stay imports, so that a project that has them already loads them once.
  {
    ...shared,
    entry: 'src/index.ts',
    outDir: 'dist',
    format: ['esm', 'cjs'],
    dts: true,
    // TypeScript 6 loads no types but those that it is told to: without this, Buffer is unknown in a project that does not name them.
    banner: { dts: '/// <reference types="node" />' },
  },
  // The command: its dependencies are in it, and few files hold what a run needs. Reading many takes longer than running them, and
  // loading ES modules longer than CommonJS.
  {
    ...shared,
    entry: ['src/cli/main.ts', 'src/cli/signals.ts'],
    outDir: 'dist/cli',
    format: 'cjs',
    dts: false,
    // prom-client is loaded for --metrics alone, and its modules import each other in a circle that the bundler does not order.
    deps: { alwaysBundle: [/./], neverBundle: ['prom-client'] },
    plugins: [licences],
    outputOptions: {
      sourcemapExcludeSources: true,
      codeSplitting: {
        groups: [
          {
            name: 'start',
            test: isAt(/src\/(?:cli\/(?:main|signals|exit|messages)|errors|version|wording|lines)\.ts/),
            priority: 3,
          },
          { name: 'commander', test: isAt(/node_modules\/commander\//), priority: 2 },
          {
            name: 'core',
            test: isAt(
              /node_modules\/luxon\/|src\/(?:log|input\/(?!gunzip)|output\/(?!pacer|rotat|replaced-file)|requests\/[^/]*\.ts|cli\/(?:options\/(?!comparison)|program|command-run|inputs))/,
            ),
            priority: 1,
          },
          {
            name: 'reading',
            test: isAt(/src\/(?:reading|cli\/logs)/),
          },
          { name: 'stats', test: isAt(/src\/(?:cli\/stats\/run|stats\/[^/]*)\.ts/) },
        ],
      },
    },
  },
]);
