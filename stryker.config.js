import { FOLDERS } from './test/mutation/folders.js';

export default {
  mutate: FOLDERS.map((folder) => `src/${folder}/**/*.ts`),
  plugins: ['./test/mutation/runner.js'],
  testRunner: 'circus',
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 5_000,
  ignorePatterns: ['/bench', '/dist', '/examples', '/coverage', '/reports'],
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  ignoreStatic: true,
};
