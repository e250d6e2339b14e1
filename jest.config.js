import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // Many tests wait for other processes: a worker more than there are cores keeps all of them busy.
  maxWorkers: availableParallelism() + 1,
  // Each test file leaves an AsyncLocalStorage behind, which every later promise of the process pays for: all tests take 0.9 of the time.
  workerIdleMemoryLimit: '400MB',
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
