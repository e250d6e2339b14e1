import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWith, REGISTRY } from '../support/programs.js';
import { PROJECT, runShell } from '../support/run.js';

/** The lowest version that `engines` names, then the newest of each line that is maintained. */
const LOWEST = /"node": ">=([\d.]+)"/.exec(readFileSync(join(PROJECT, 'package.json'), 'utf8'))?.[1] ?? '';
const NODES = [`${LOWEST}.0.0`.split('.').slice(0, 3).join('.'), '22', '24'] as const;

/** What the projects need beside the library. ts-jest 29 needs TypeScript 6. */
const PACKAGES = 'jest@30 ts-jest@29 typescript@6 @types/node@20 @jest/globals@30 vitest@4';

const ROOT = mkdtempSync(join(tmpdir(), 'webmail-diaglog-fresh-'));
/** Each project is a folder in it; all have its node_modules. */
const PROJECTS = join(ROOT, 'projects');

const INSTALL = 'npm install --no-audit --no-fund --loglevel warn';

async function sh(script: string, cwd: string): Promise<string> {
  const { exit, stdout, stderr } = await runShell(`set -e\n${script}`, {
    cwd,
    env: {
      npm_config_update_notifier: 'false',
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
    },
  });
  if (exit !== 0) throw new Error(`${script}\nended with ${String(exit)}: ${stdout}${stderr}`);
  return stdout + stderr;
}

const NODE_PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** The folder of a version of Node, to be put before PATH. */
const binOf = (version: string): string => join(ROOT, `node-${version}`, 'node_modules', NODE_PACKAGE, 'bin');

/** Shows that the library works: writes, checks, counts and compares a log. `lib` and `equal` come from the project's kind. */
const BODY = `
  const log = [];
  for await (const bytes of lib.replay(lib.synthesize({ count: 3 }))) log.push(bytes);
  equal(Buffer.concat(log).toString().split('\\n').length, 25);
  for await (const findings of lib.check(log)) equal(findings.length, 0);
  equal((await lib.stats(log)).groups, 3);
  const [sent, received] = [{ source: 'sent', chunks: log }, { source: 'received', chunks: log }];
  for await (const findings of lib.compareLogs(sent, [received])) equal(findings.length, 0);
`;

const REQUIRE = "const lib = require('webmail-diaglog');\n";
const IMPORT = "import * as lib from 'webmail-diaglog';\n";
const EXPECTED = `test('the library works', async () => {\n  const equal = (is, be) => expect(is).toBe(be);${BODY}});\n`;
const TYPED = `${IMPORT}const equal = (is: unknown, be: unknown): void => { if (is !== be) throw new Error(String(is)); };
async function main(): Promise<void> {${BODY}
  // @ts-expect-error an option that is misspelt
  const options: lib.SynthesizeOptions = { sead: 1 };
  console.log('works', typeof options);
}
void main();
`;

const STRICT = '--strict --target es2022 --outDir out';

interface Fresh {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
  readonly prints: RegExp;
  /** Left out for all. */
  readonly nodes?: readonly string[];
}

const JEST = 'node ../node_modules/jest/bin/jest.js --no-watchman';
const PASSES = /Tests: +1 passed, 1 total/;

const FRESH: readonly Fresh[] = [
  {
    name: 'ts-jest as it is',
    files: {
      'package.json': '{ "jest": { "preset": "ts-jest" } }',
      'lib.test.ts': `import { expect, test } from '@jest/globals';\n${IMPORT}
        test('the library works', async () => { const equal = (is: unknown, be: unknown) => expect(is).toBe(be);${BODY}});\n`,
    },
    command: JEST,
    prints: PASSES,
  },
  {
    name: 'Jest with ES modules',
    files: { 'package.json': '{ "type": "module" }', 'lib.test.js': IMPORT + EXPECTED },
    command: JEST.replace('node', 'node --experimental-vm-modules'),
    prints: PASSES,
  },
  {
    name: "Node's own test runner, with import and with require",
    files: {
      'lib.test.mjs': `${IMPORT}import { equal } from 'node:assert/strict';\nimport test from 'node:test';\ntest(async () => {${BODY}});\n`,
      'lib.test.cjs': `${REQUIRE}const { equal } = require('node:assert/strict');\nrequire('node:test')(async () => {${BODY}});\n`,
    },
    command: 'node --test --test-reporter tap lib.test.mjs lib.test.cjs',
    prints: /# pass 2\n/,
  },
  {
    name: 'the command by npx',
    files: { 'package.json': '{}' },
    command: `"${process.execPath}" "$NPX" --offline -c 'webmail-diaglog synth --count 3 | webmail-diaglog check && node --version'`,
    prints: /0 violations in 3 groups, 24 lines\nv/,
  },
  { name: 'examples/jest', files: { 'package.json': '{}' }, command: JEST, prints: /Tests: +2 passed, 2 total/ },
  { name: 'examples/pipeline', files: {}, command: 'node test-pipeline.mjs', prints: /28 records missing, as expected\n$/ },
  {
    name: 'examples/vitest',
    files: { 'package.json': '{ "type": "module" }' },
    command: 'node ../node_modules/vitest/vitest.mjs run',
    prints: /Tests +1 passed/,
    // Its Vite needs Node 20.19.
    nodes: ['22', '24'],
  },
];

/** The modules that tsc is told to make, the extension of the source, and that of what can be run. */
const TYPESCRIPT = [
  ['nodenext', 'mts', 'mjs'],
  ['nodenext', 'cts', 'cjs'],
  ['node16', 'cts', 'cjs'],
  ['esnext --moduleResolution bundler', 'ts', undefined],
] as const;

function makeProject({ name, files }: Pick<Fresh, 'name' | 'files'>, version: string): string {
  const folder = join(PROJECTS, `${name}-${version}`.replace(/[^a-z0-9]+/gi, '-'));
  mkdirSync(folder, { recursive: true });
  if (name.startsWith('examples/')) cpSync(join(PROJECTS, 'node_modules/webmail-diaglog', name), folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return folder;
}

describeWith(['npm', 'npx', REGISTRY], 'the package, installed in a fresh project', () => {
  let installed = '';

  beforeAll(async () => {
    mkdirSync(PROJECTS);
    await sh(`npm pack --silent --ignore-scripts --pack-destination ${ROOT}`, PROJECT);
    const [tarball = ''] = readdirSync(ROOT).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(PROJECTS, 'package.json'), '{ "private": true }\n');
    installed = await sh(`${INSTALL} ../${tarball}`, PROJECTS);
    await sh(`${INSTALL} ${PACKAGES}`, PROJECTS);
    const installNode = async (version: string): Promise<void> => {
      const folder = join(ROOT, `node-${version}`);
      mkdirSync(folder);
      writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
      await sh(`${INSTALL} ${NODE_PACKAGE}@${version}`, folder);
    };
    await Promise.all(NODES.map(installNode));
  }, 600_000);

  afterAll(() => {
    rmSync(ROOT, { recursive: true, force: true, maxRetries: 5 });
  });

  test('npm installs it without a warning', () => {
    expect(installed.replace(/^npm warn Unknown .*\n/gm, '')).toMatch(/^\s*added \d+ packages in \d+(?:ms|s|m)\s*$/);
  });

  test.each(TYPESCRIPT)('TypeScript takes its types with %s in .%s', async (module, extension, runnable) => {
    const files = { [`main.${extension}`]: TYPED };
    const folder = makeProject({ name: `TypeScript-${module}-${extension}`, files }, '6');
    // Without --types: the library's own types say that they need those of Node.
    expect(await sh(`../node_modules/.bin/tsc ${STRICT} --module ${module} main.${extension}`, folder)).toBe('');
    if (runnable === undefined) return;
    const runs = NODES.map((version) => sh(`"${binOf(version)}/node" out/main.${runnable}`, folder));
    expect(await Promise.all(runs)).toEqual(NODES.map(() => 'works object\n'));
  });

  const cases = FRESH.flatMap(({ nodes = NODES, ...project }) => nodes.map((node) => [project.name, node, project] as const));

  test.each(cases)('%s, on Node %s', async (_name, version, project) => {
    const folder = makeProject(project, version);
    const npm = (await sh('command -v npm', PROJECT)).trim();
    const npx = join(dirname(realpathSync(npm)), 'npx-cli.js');
    const ran = await sh(`export PATH="${binOf(version)}:$PATH" NPX="${npx}"\nnode --version\n${project.command}`, folder);
    expect(ran.startsWith(`v${version}.`) || ran.startsWith(`v${version}\n`)).toBe(true);
    expect(ran.slice(ran.indexOf('\n') + 1)).toMatch(project.prints);
  });
});
