import { fileURLToPath } from 'node:url';
import base from '../../jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/mutation/all.test.js'],
  testEnvironment: fileURLToPath(new URL('environment.cjs', import.meta.url)),
};
