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
    '--faults torn:1 --fault-report -': `--fault-report: ${isOutput}`,
    '--faults torn:1 --fault-report - -o error.log --tee -': `--fault-report: ${isOutput}`,
    '--faults torn:1 --as requests': '--faults: a request list cannot be broken; leave it out, or give --as log',
    '-o error.log --rotate-keep 3': `--rotate-keep: ${withoutRotation}`,
    '-o error.log --rotate-how rename': `--rotate-how: ${withoutRotation}`,
    '--rotate 1MB': '--rotate: standard output cannot be rotated; name a file with -o',
    '--rotate-every 1h': '--rotate-every: standard output cannot be rotated; name a file with -o',
    "--tee ''": '"": its folder does not exist; make the folder, or check the path',
    '--tee -': `--tee: ${isOutput}`,
  });
});
