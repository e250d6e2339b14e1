import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { addLogWriterOptions, resolveLogWriter, type FaultChoice } from '../../../src/cli/options/log-writer.js';
import { addSynthOptions, resolveSynth } from '../../../src/cli/synth/command.js';
import { CallError } from '../../../src/errors.js';
import { forEachKind } from '../../support/broken-log.js';
import { parsedOptions } from '../../support/parsed-options.js';

/** Options as they are typed. */
type Given = Parameters<typeof parsedOptions>[1];

function resolve(given: Given, output = 'error.log', tee?: string): FaultChoice | undefined {
  return resolveLogWriter(parsedOptions((command: Command) => addLogWriterOptions(command), { ...given, output, tee })).faults;
}

describe('the faults of resolveLogWriter', () => {
  const rates = { ...forEachKind(0), torn: 0.5 };

  test.each<[Given, unknown]>([
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
    expect(resolve(raw)).toEqual(resolved);
  });

  test.each<[Given, string]>([
    [{ faultSeed: '1' }, '--fault-seed: has no effect without --faults; give --faults too'],
    [{ faultReport: 'f' }, '--fault-report: has no effect without --faults; give --faults too'],
    [{ foreignFrom: 'f' }, '--foreign-from: has no effect without --faults; give --faults too'],
    [{ faults: 'torn:0.5', faultSeed: 'x' }, '--fault-seed: "x" is not a whole number of at most 15 digits; give one such as 7'],
    [{ faults: 'torn:2' }, '--faults: "torn:2" is not a rate from 0 to 1; give a number, as in torn:0.01'],
    [{ faults: 'torn:0.5', faultReport: '' }, '--fault-report: the file name is empty; name a file, or leave it out'],
    [{ faults: 'torn:0.5', foreignFrom: '' }, '--foreign-from: the file name is empty; name a file, or leave it out'],
  ])('refuses %j', (raw, message) => {
    expect(() => resolve(raw)).toThrow(CallError);
    expect(() => resolve(raw)).toThrow(expect.objectContaining({ message }));
  });

  test.each([
    ['-', undefined],
    ['error.log', '-'],
  ])('refuses a report on standard output, where the log is already: -o %s, --tee %s', (output, tee) => {
    expect(() => resolve({ faults: 'torn:1', faultReport: '-' }, output, tee)).toThrow(
      '--fault-report: standard output is already the output; name a file',
    );
  });

  test('refuses to break a request list', () => {
    const raw = parsedOptions(addSynthOptions, { as: 'requests', faults: 'torn:1' });
    expect(() => resolveSynth(raw)).toThrow(CallError);
    expect(() => resolveSynth(raw)).toThrow('--faults: a request list cannot be broken; leave it out, or give --as log');
  });
});
