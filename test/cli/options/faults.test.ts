import { describe, expect, test } from '@jest/globals';
import { resolveFaults } from '../../../src/cli/options/faults.js';
import { resolveSynth } from '../../../src/cli/synth/options.js';
import { CallError } from '../../../src/errors.js';
import { forEachKind } from '../../../src/faults/kinds.js';

describe('resolveFaults', () => {
  const rates = { ...forEachKind(0), torn: 0.5 };

  test.each([
    [{}, undefined],
    [{ faults: 'torn:0.5' }, { rates, seed: 1, reportFile: undefined, foreignFile: undefined }],
    [
      { faults: 'torn:.5', faultSeed: '-7', faultReport: 'f.ndjson', foreignFrom: 'own.log' },
      { rates, seed: -7, reportFile: 'f.ndjson', foreignFile: 'own.log' },
    ],
    [
      { faults: 'torn:0.5', faultReport: '-', foreignFrom: '-' },
      { rates, seed: 1, reportFile: '-', foreignFile: '-' },
    ],
  ])('%j', (raw, resolved) => {
    expect(resolveFaults(raw, 'error.log', { copyFile: undefined })).toEqual(resolved);
  });

  test.each([
    [{ faultSeed: '1' }, '--fault-seed: nothing is broken; give --faults with it'],
    [{ faultReport: 'f' }, '--fault-report: nothing is broken; give --faults with it'],
    [{ foreignFrom: 'f' }, '--foreign-from: nothing is broken; give --faults with it'],
    [{ faults: 'torn:0.5', faultSeed: 'x' }, '--fault-seed: "x" is no whole number of at most 15 digits; give one such as 7'],
    [{ faults: 'torn:2' }, '--faults: "torn:2" is not a rate from 0 to 1; give one, as in torn:0.01'],
    [{ faults: 'torn:0.5', faultReport: '' }, '--fault-report: it is empty; name a file, or leave it out'],
    [{ faults: 'torn:0.5', foreignFrom: '' }, '--foreign-from: it is empty; name a file, or leave it out'],
  ])('refuses %j', (raw, message) => {
    const resolve = (): unknown => resolveFaults(raw, 'error.log', { copyFile: undefined });
    expect(resolve).toThrow(CallError);
    expect(resolve).toThrow(expect.objectContaining({ message }));
  });

  test.each([
    ['-', undefined],
    ['error.log', '-'],
  ])('refuses a report on standard output, where the log is already: -o %s, --tee %s', (outputFile, copyFile) => {
    const resolve = (): unknown => resolveFaults({ faults: 'torn:1', faultReport: '-' }, outputFile, { copyFile });
    expect(resolve).toThrow('--fault-report: standard output is the output already; name a file');
  });

  test('refuses to break a request list', () => {
    const raw = { seed: '1', profile: 'flat', arrivals: 'poisson', as: 'requests', faults: 'torn:1' } as const;
    expect(() => resolveSynth(raw)).toThrow(CallError);
    expect(() => resolveSynth(raw)).toThrow('--faults: a request list cannot be broken; leave it out, or give --as log');
  });
});
