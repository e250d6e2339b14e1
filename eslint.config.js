import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The direction of imports: bin -> cli -> output, input, parse, stats -> requests, reading -> log. A folder may import those after it in this list, and
 * what stands at the top of src (errors, quote, lines) unless it is log/, which knows luxon and nothing else.
 */
const FORBIDDEN_IMPORTS = {
  log: ['../*', 'node:*', 'commander', 'fast-csv'],
  requests: ['../cli/*', '../output/*', '../input/*', '../reading/*', '../parse/*', '../stats/*', 'commander', 'luxon'],
  reading: [
    '../cli/*',
    '../output/*',
    '../input/*',
    '../requests/*',
    '../parse/*',
    '../stats/*',
    'commander',
    'fast-csv',
    'luxon',
  ],
  parse: ['../cli/*', '../output/*', '../input/*', '../stats/*', 'commander', 'fast-csv', 'luxon'],
  stats: ['../cli/*', '../output/*', '../input/*', '../requests/*', '../parse/*', 'commander', 'fast-csv', 'luxon'],
  input: [
    '../cli/*',
    '../output/*',
    '../requests/*',
    '../reading/*',
    '../parse/*',
    '../log/*',
    '../stats/*',
    'commander',
    'fast-csv',
    'luxon',
  ],
  output: ['../cli/*', '../input/*', '../reading/*', '../parse/*', '../stats/*', 'commander', 'fast-csv', 'luxon'],
  cli: ['fast-csv', 'luxon'],
};

export default defineConfig(
  globalIgnores(['dist/', 'coverage/']),
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
        { patterns: [{ group: forbidden, message: `${folder}/ must not know it: see the map in README.md` }] },
      ],
      ...(folder !== 'cli' && { 'no-restricted-globals': ['error', 'process'] }),
    },
  })),
  {
    files: ['src/requests/**/*.ts'],
    ignores: ['src/requests/csv-rows.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: [...FORBIDDEN_IMPORTS.requests, 'fast-csv'], message: 'fast-csv belongs to csv-rows.ts' }] },
      ],
    },
  },
  {
    files: ['bin/*.js', 'bench/*.js', '*.js'],
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
