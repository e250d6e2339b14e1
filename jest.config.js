/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // Workers wait for the programs that their tests start: half as many again as there are cores take 0.93 of the time.
  maxWorkers: '150%',
  // A test that hangs ends; one that a busy machine makes wait does not fail.
  testTimeout: 60_000,
  modulePathIgnorePatterns: ['<rootDir>/.stryker-tmp/'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/system/', '<rootDir>/test/collectors/'],
  setupFiles: ['<rootDir>/test/support/configure-properties.ts'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': '<rootDir>/test/support/transform.js' },
};
