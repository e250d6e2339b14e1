export default {
  mutate: ['log', 'reading', 'requests', 'compare', 'faults'].map((folder) => `src/${folder}/**/*.ts`),
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
  jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 10_000,
  ignorePatterns: ['/bench', '/dist', '/examples', '/coverage', '/reports'],
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  ignoreStatic: true,
};
