import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const ENTRY = '\0all-tests';

/** A mutant is dead or not: a property needs no smallest counterexample, and most fall at the first few. */
const PROPERTIES = { seed: 1, endOnFailure: true, numRuns: 10, interruptAfterTimeLimit: 1000 };

/** Stryker's calls in the code: is mutant 12 active? The original of mutants 12 and 13 runs. */
const IS_ACTIVE = /stryMutAct_9fa48\("(\d+)"\)/g;
const IS_COVERED = /stryCov_9fa48\(("\d+"(?:, "\d+")*)\)/g;

/**
 * The tests of a folder and the code that they test as one script (CommonJS), which runs anew in milliseconds. Stryker's calls become
 * expressions of free variables, 40 times as fast: `activeMutant` is a number, `covered` counts by mutant, `checkSteps` is called each time
 * that `stepsToCheck` have run.
 *
 * @param root the folder of the project
 * @param folder the folder in `test/`
 * @param wanted the paths of the tests (`compare/digest.test.ts`) that are part of it
 */
export async function bundleTests(root, folder, wanted) {
  const tests = readdirSync(join(root, 'test', folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith('.test.ts') && wanted.test(path));
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
          return code
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replace(IS_ACTIVE, '(activeMutant === $1)')
            .replace(IS_COVERED, (_, ids) => {
              const counts = JSON.parse(`[${ids}]`).map((mutant) => `covered[${mutant}]++`);
              return `(${counts.join(', ')}, --stepsToCheck || checkSteps())`;
            });
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
