import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** The libraries that only some folders know. */
const LIBRARIES = ['commander', 'fast-csv', 'luxon'];

/**
 * The direction of imports: each folder of src, the folders and libraries that it may import, and whether it knows what stands at the
 * top of src (errors, quote, lines). log/ knows luxon and nothing else.
 */
const MAY_IMPORT = {
  log: ['luxon'],
  requests: ['log', 'fast-csv'],
  reading: ['log'],
  findings: ['log'],
  input: ['log'],
  output: ['input', 'requests', 'log'],
  export: ['reading', 'requests', 'log'],
  check: ['findings', 'reading', 'log'],
  compare: ['findings', 'reading', 'log'],
  stats: ['reading', 'requests', 'log'],
  serve: ['output', 'requests', 'log'],
  cli: ['check', 'compare', 'stats', 'serve', 'export', 'findings', 'input', 'output', 'reading', 'requests', 'log', 'commander'],
};

const FORBIDDEN_IMPORTS = Object.fromEntries(
  Object.entries(MAY_IMPORT).map(([folder, allowed]) => [
    folder,
    [
      ...Object.keys(MAY_IMPORT)
        .filter((other) => other !== folder && !allowed.includes(other))
        .map((other) => `**/${other}/**`),
      ...LIBRARIES.filter((library) => !allowed.includes(library)),
      ...(folder === 'log' ? ['../*', 'node:*'] : []),
    ],
  ]),
);

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
  ...Object.entries(FORBIDDEN_IMPORTS).map(([folder, forbidden]) => ({
    files: [`src/${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: forbidden, message: `${folder}/ must not know it: see the map in CONTRIBUTING.md` }] },
      ],
      ...(folder !== 'cli' && { 'no-restricted-globals': ['error', 'process'] }),
    },
  })),
  {
    files: ['src/requests/**/*.ts'],
    ignores: ['src/requests/list/csv-rows.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: [...FORBIDDEN_IMPORTS.requests, 'fast-csv'], message: 'fast-csv belongs to csv-rows.ts' }] },
      ],
    },
  },
  {
    files: ['bin/*.js', 'bench/*.js', 'test/mutation/*.js', '*.js'],
    languageOptions: {
      globals: {
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
