import { test } from '@jest/globals';
import { makeFolder } from '../../support/run.js';
import { expectRefused } from '../../support/call.js';

test('options that contradict each other, have no effect or no value are refused', async () => {
  const withoutFaults = 'has no effect without --faults; give --faults too';
  const withoutRotation = 'has no effect without rotation; give --rotate or --rotate-every too';
  const isOutput = 'standard output is already the output; name a file';
  await expectRefused('synth', makeFolder(), {
    '--fault-seed 1': `--fault-seed: ${withoutFaults}`,
    '--fault-report f': `--fault-report: ${withoutFaults}`,
    '--foreign-from f': `--foreign-from: ${withoutFaults}`,
    '--foreign-only smtp': `--foreign-only: ${withoutFaults}`,
    '--faults torn:0.5 --foreign-only smtp':
      '--foreign-only: has no effect without the fault "foreign" of --faults; give --faults foreign:0.01 too',
    '--faults foreign:1 --foreign-only smtp --foreign-from f':
      '--foreign-only: has no effect with --foreign-from; give one of the two',
    '--faults foreign:1 --foreign-only own':
      '--foreign-only: "own" is not one of the kinds; the kinds are login_failed, imap_unreachable, smtp, database, php',
    '--faults torn:0.5 --fault-seed x': '--fault-seed: "x" is not a whole number of at most 15 digits; give one such as 7',
    '--faults torn:2': '--faults: "torn:2" is not a rate from 0 to 1; give a number, as in torn:0.01',
    '--faults torn:1 --fault-report -': `--fault-report: ${isOutput}`,
    '--faults torn:1 --fault-report - -o error.log --tee -': `--fault-report: ${isOutput}`,
    '--faults torn:1 --as requests': '--faults: a request list cannot be broken; leave it out, or give --as log',
    '-o error.log --rotate-keep 3': `--rotate-keep: ${withoutRotation}`,
    '-o error.log --rotate-how rename': `--rotate-how: ${withoutRotation}`,
    '--rotate 1MB': '--rotate: standard output cannot be rotated; name a file with -o',
    '--rotate-every 1h': '--rotate-every: standard output cannot be rotated; name a file with -o',
    '-o error.log --rotate 10M': '--rotate: "10M" is not a size; give one such as 64KiB, 10MB or 2GB',
    '-o error.log --rotate-every 10': '--rotate-every: "10" is not a duration; give one such as 500ms, 90s, 15m, 1h or 7d',
    '-o error.log --rotate 1MB --rotate-keep 0':
      '--rotate-keep: "0" is not a whole number from 1 on; give one such as 1000, or forever',
    "--tee ''": '"": its folder does not exist; make the folder, or check the path',
    '--tee -': `--tee: ${isOutput}`,
  });
});
