/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // A test waits for what must happen, however busy the machine is: this only ends one that waits for ever.
  testTimeout: 30_000,
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/system/'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.json', diagnostics: false }] },
};
