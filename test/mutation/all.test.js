// The tests of the folders that are changed, as one file: loaded once per mutant, not file by file, which takes ten times as long.
import { readdirSync } from 'node:fs';
import fc from 'fast-check';

/** TESTS names some of them (a regular expression): fewer run for a mutant that survives, so that a look at one file takes less time. */
const wanted = new RegExp(process.env.TESTS ?? '');

// A mutant is dead or not: a property needs no smallest counterexample, and most fall at the first few.
fc.configureGlobal({ seed: 1, endOnFailure: true, numRuns: 10, interruptAfterTimeLimit: 1000 });

for (const folder of ['log', 'reading', 'requests', 'compare', 'faults']) {
  const tests = new URL(`../${folder}/`, import.meta.url);
  for (const file of readdirSync(tests, { recursive: true })) {
    if (file.endsWith('.test.ts') && wanted.test(`${folder}/${file}`)) await import(new URL(file, tests).pathname);
  }
}
