import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const ENTRY = '\0all-tests';

/** The tests of these folders run for a change of any of them. */
const FOLDERS = ['log', 'reading', 'requests', 'compare', 'faults'];

/** A mutant is dead or not: a property needs no smallest counterexample, and most fall at the first few. */
const PROPERTIES = { seed: 1, endOnFailure: true, numRuns: 10, interruptAfterTimeLimit: 1000 };

/** Stryker's questions in the code: is mutant 12 active, and it counts that mutants 12 and 13 are covered. */
const IS_ACTIVE = /stryMutAct_9fa48\("(\d+)"\)/g;
const COUNT = /stryCov_9fa48\("[^()]*\)/g;

/**
 * The tests and the code that they test as one script (CommonJS), which runs anew in milliseconds.
 *
 * @param root the folder of the project
 * @param wanted the paths of the tests (`compare/digest.test.ts`) that are part of it
 * @param isCounted true if the script counts which mutants each test covers, which takes 30 times as long. Without it the script asks the
 *   free variable `activeMutant`, a number, and calls `countHit` where that mutant is
 */
export async function bundleTests(root, wanted, isCounted) {
  const tests = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, 'test', folder), { recursive: true }).map((name) => `${folder}/${name}`),
  ).filter((path) => path.endsWith('.test.ts') && wanted.test(path));
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'node',
    external: /^[^./\0]/,
    plugins: [
      {
        name: 'tests',
        resolveId(id, importer) {
          if (id === ENTRY) return id;
          return importer === ENTRY && id.startsWith('./') ? join(root, id) : null;
        },
        load(id) {
          if (id !== ENTRY) return null;
          return [
            "import fc from 'fast-check';",
            `fc.configureGlobal(${JSON.stringify(PROPERTIES)});`,
            ...tests.map((path) => `import ${JSON.stringify(`./test/${path}`)};`),
          ].join('\n');
        },
        transform(code, id) {
          const placed = code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
          return isCounted ? placed : placed.replace(COUNT, '0').replace(IS_ACTIVE, '(activeMutant === $1 && countHit())');
        },
      },
    ],
  });
  try {
    const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
