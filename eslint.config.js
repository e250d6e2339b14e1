import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/** The folders of src, and of each the folders and libraries that it may import. CONTRIBUTING.md says what each is for. */
const MAY_IMPORT = {
  log: ['luxon'],
  envelope: ['log'],
  requests: ['input', 'log', 'pure-rand'],
  reading: ['input', 'envelope', 'log'],
  findings: ['log'],
  input: ['envelope', 'log'],
  output: ['input', 'envelope', 'reading', 'findings', 'requests', 'log'],
  export: ['output', 'reading', 'requests', 'log'],
  check: ['findings', 'reading', 'input', 'log'],
  compare: ['findings', 'reading', 'input', 'envelope', 'log'],
  stats: ['findings', 'reading', 'requests', 'log'],
  http: ['output'],
  serve: ['http', 'output', 'envelope', 'requests', 'log'],
  receive: ['http', 'output', 'envelope', 'requests', 'log', '@bufbuild/protobuf', 'hysnappy'],
  canary: ['compare', 'http', 'findings', 'input', 'envelope', 'output', 'requests', 'log', 'prom-client'],
  faults: ['output', 'requests', 'input', 'envelope', 'log'],
  cli: [
    'canary',
    'check',
    'compare',
    'stats',
    'serve',
    'receive',
    'faults',
    'export',
    'findings',
    'input',
    'envelope',
    'output',
    'reading',
    'requests',
    'log',
    'commander',
  ],
};

/** Each is known to a folder or two (see `MAY_IMPORT`); fast-csv to one file. */
const LIBRARIES = ['@bufbuild/protobuf', 'commander', 'fast-csv', 'hysnappy', 'luxon', 'prom-client', 'pure-rand'];

const FOLDERS = foldersOf('src');
const COMMANDS = foldersOf('src/cli').filter((name) => name !== 'options');

const unknown = FOLDERS.filter((folder) => !(folder in MAY_IMPORT));
if (unknown.length > 0) throw new Error(`eslint.config.js does not say what these may import: ${unknown.join(', ')}`);

function foldersOf(path) {
  const entries = readdirSync(new URL(path, import.meta.url), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Patterns of all that a folder must not import. */
function forbiddenIn(folder) {
  const allowed = [folder, ...MAY_IMPORT[folder]];
  const folders = FOLDERS.filter((other) => !allowed.includes(other)).map((other) => `**/${other}/**`);
  return [
    ...folders,
    ...librariesBut(allowed),
    // The log's format is pure: of what stands at the top of src it knows the tables of kinds alone, and nothing of Node.
    ...(folder === 'log' ? ['../*', '!../wording.js', 'node:*'] : []),
    ...(folder === 'cli' ? [] : ['node:process']),
  ];
}

function librariesBut(allowed) {
  return LIBRARIES.filter((library) => !allowed.includes(library)).flatMap((library) => [library, `${library}/**`]);
}

/** Forbids imports in some files. Where several of these fit a file, the last one counts. */
function forbid(files, patterns, ignores = []) {
  const message = 'imports point one way: see CONTRIBUTING.md and MAY_IMPORT in eslint.config.js';
  return { files, ignores, rules: { 'no-restricted-imports': ['error', { patterns: [{ group: patterns, message }] }] } };
}

/** Within a command: run -> command. A command knows nothing of another one. */
function forbidInCommand(command) {
  const folder = `src/cli/${command}`;
  const always = [...forbiddenIn('cli'), ...COMMANDS.filter((other) => other !== command).map((other) => `../${other}/**`)];
  return [
    forbid([`${folder}/*.ts`], [...always, 'commander']),
    forbid([`${folder}/command.ts`], [...always, 'commander', './*.js']),
  ];
}

const DIRECTIONS = [
  // What stands at the top of src is for all folders but log.
  forbid(
    ['src/*.ts'],
    [...FOLDERS.filter((folder) => folder !== 'log').map((folder) => `./${folder}/**`), ...LIBRARIES, 'node:process'],
    ['src/index.ts'],
  ),
  forbid(['src/index.ts'], ['./cli/**', ...LIBRARIES, 'node:process']),
  ...FOLDERS.map((folder) => forbid([`src/${folder}/**/*.ts`], forbiddenIn(folder))),
  forbid(
    ['src/requests/list/csv-rows.ts'],
    forbiddenIn('requests').filter((pattern) => !pattern.startsWith('fast-csv')),
  ),
  // Only main.ts knows the commands.
  forbid(['src/cli/*.ts'], [...forbiddenIn('cli'), ...COMMANDS.map((command) => `./${command}/**`)], ['src/cli/main.ts']),
  forbid(['src/cli/options/*.ts'], [...forbiddenIn('cli'), '../*.js', ...COMMANDS.map((command) => `../${command}/**`)]),
  ...COMMANDS.flatMap(forbidInCommand),
  { files: ['src/**/*.ts'], ignores: ['src/cli/**'], rules: { 'no-restricted-globals': ['error', 'process'] } },
];

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'reports/', '.stryker-tmp/']),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-control-regex': 'off',
    },
  },
  {
    // The types of options follow from their definition.
    files: ['src/cli/options/*.ts', 'src/cli/*/run.ts', 'src/cli/completion/command-line.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  ...DIRECTIONS,
  { files: ['bin/*.js'], languageOptions: { sourceType: 'commonjs', globals: { require: 'readonly' } } },
  {
    files: [
      '.ci/*.mjs',
      'man/*.js',
      'bench/*.js',
      'examples/**/*.{js,cjs,mjs}',
      'test/{mutation,picture,support,collectors/clients}/*.js',
      '*.js',
    ],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        console: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        URL: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
);
