import { describe, expect, test } from '@jest/globals';
import { LOG_WRITING, resolveLogWriter, type FaultChoice } from '../../../src/cli/options/log-writer.js';
import { SYNTH_OPTIONS, resolveSynth } from '../../../src/cli/synth/command.js';
import { forEachKind } from '../../support/broken-log.js';
import { parsedOptions, refusalOf, type Typed } from '../../support/parsed-options.js';

function resolve(given: Typed, output = 'error.log', tee?: string): FaultChoice | undefined {
  return resolveLogWriter(parsedOptions(LOG_WRITING, { ...given, output, tee })).faults;
}

describe('the faults of resolveLogWriter', () => {
  const rates = { ...forEachKind(0), torn: 0.5 };

  test.each<[Typed, unknown]>([
    [{}, undefined],
    [{ faults: 'torn:0.5' }, { rates, seed: 1, faultReport: undefined, foreignFrom: undefined, foreignOnly: undefined }],
    [
      { faults: 'torn:.5', faultSeed: '-7', faultReport: 'f.ndjson', foreignFrom: 'own.log' },
      { rates, seed: -7, faultReport: 'f.ndjson', foreignFrom: 'own.log', foreignOnly: undefined },
    ],
    [
      { faults: 'torn:0.5', faultReport: '-', foreignFrom: '-' },
      { rates, seed: 1, faultReport: '-', foreignFrom: '-', foreignOnly: undefined },
    ],
    [
      { faults: 'foreign:0.5', foreignOnly: 'smtp,php' },
      {
        rates: { ...forEachKind(0), foreign: 0.5 },
        seed: 1,
        faultReport: undefined,
        foreignFrom: undefined,
        foreignOnly: new Set(['smtp', 'php']),
      },
    ],
  ])('%j', (raw, resolved) => {
    expect(resolve(raw)).toEqual(resolved);
  });

  test.each<[Typed, string]>([
    [{ faultSeed: '1' }, '--fault-seed: has no effect without --faults; give --faults too'],
    [{ faultReport: 'f' }, '--fault-report: has no effect without --faults; give --faults too'],
    [{ foreignFrom: 'f' }, '--foreign-from: has no effect without --faults; give --faults too'],
    [{ foreignOnly: 'smtp' }, '--foreign-only: has no effect without --faults; give --faults too'],
    [
      { faults: 'torn:0.5', foreignOnly: 'smtp' },
      '--foreign-only: has no effect without the fault "foreign" of --faults; give --faults foreign:0.01 too',
    ],
    [
      { faults: 'foreign:1', foreignOnly: 'smtp', foreignFrom: 'f' },
      '--foreign-only: has no effect with --foreign-from; give one of the two',
    ],
    [
      { faults: 'foreign:1', foreignOnly: 'own' },
      '--foreign-only: "own" is not a foreign record; the foreign records are login_failed, imap_unreachable, smtp, database, php',
    ],
    [{ faults: 'torn:0.5', faultSeed: 'x' }, '--fault-seed: "x" is not a whole number of at most 15 digits; give one such as 7'],
    [{ faults: 'torn:2' }, '--faults: "torn:2" is not a rate from 0 to 1; give a number, as in torn:0.01'],
    [{ faults: 'torn:0.5', faultReport: '' }, '--fault-report: the file name is empty; name a file, or leave it out'],
    [{ faults: 'torn:0.5', foreignFrom: '' }, '--foreign-from: the file name is empty; name a file, or leave it out'],
  ])('refuses %j', (raw, message) => {
    expect(refusalOf(() => resolve(raw))).toBe(message);
  });

  test.each([
    ['-', undefined],
    ['error.log', '-'],
  ])('refuses a report on standard output, where the log is already: -o %s, --tee %s', (output, tee) => {
    expect(refusalOf(() => resolve({ faults: 'torn:1', faultReport: '-' }, output, tee))).toBe(
      '--fault-report: standard output is already the output; name a file',
    );
  });

  test('refuses to break a request list', () => {
    const raw = parsedOptions(SYNTH_OPTIONS, { as: 'requests', faults: 'torn:1' });
    expect(refusalOf(() => resolveSynth(raw))).toBe('--faults: a request list cannot be broken; leave it out, or give --as log');
  });
});
