import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { constants, Script } from 'node:vm';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { DryRunStatus, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner';
import { expect } from 'expect';
import * as circus from 'jest-circus';
import { bundleTests } from './bundle.js';
import { FOLDERS } from './folders.js';

/** Tests that take seconds: of bounded memory and time, and of records that come hundreds of thousands of lines late. */
const TOO_LONG = /^goes on in (bounded memory and )?time|count no more$|00,000 (lines late|lines later|records)/;

const MAX_MUTANTS = 1 << 16;

/** Steps of the code, a few for each line, after which it is seen whether a test takes too many. */
const STEPS = 10_000;

/** A test may take so many times the steps that it takes without a mutant, which can make code run without end. */
const MAX_STEPS = 100;

/** Milliseconds that a test may take at most. Without a mutant the longest takes a third of it. */
const MAX_TIME = 3_000;

/** Written by the dry run, in one process, for the mutant runs in others: how often a test has taken STEPS steps, by its name. */
const STEPS_FILE = 'test-steps.json';

/**
 * Runs the tests with Jest's own jest-circus in the worker of Stryker. Stryker's runner for Jest starts Jest and loads all modules for each
 * mutant; here one script is run anew, so that no mutant meets what another left in a cache. The test that killed the last mutant comes first,
 * the shortest of the others next, and none runs after the first that fails.
 */
class Runner {
  /** Defines the tests of a folder. */
  #loaders = new Map();
  /** Runs of the original code of each mutant, since they were last taken. */
  #covered = new Uint32Array(MAX_MUTANTS);
  /** The names of tests that have failed in this process, the latest last: the next mutant mostly falls to one of them. */
  #killers = new Set();
  /** Milliseconds that a test took, by its name. */
  #durations = new Map();
  /** How often the test that runs has taken STEPS steps, how often it may, and when it must end, on the clock of `performance.now()`. */
  #taken = 0;
  #mayTake = Infinity;
  #mustEnd = Infinity;
  /** What STEPS_FILE holds. */
  #usual;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    for (const folder of FOLDERS) this.#loaders.set(folder, await bundleLoader(folder));
  }

  async dryRun() {
    const coverage = { static: {}, perTest: {} };
    const usual = {};
    const tests = [];
    for (const folder of FOLDERS) {
      this.#define(folder);
      this.#takeCovered(coverage.static);
      // Tests of one table may have the same name.
      const onDone = (name) => {
        coverage.perTest[name] = this.#takeCovered(coverage.perTest[name] ?? {});
        usual[name] = Math.max(usual[name] ?? 0, this.#taken);
      };
      tests.push(...(await this.#run(() => true, onDone)).tests);
    }
    writeFileSync(STEPS_FILE, JSON.stringify(usual));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: coverage };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter }) {
    this.#usual ??= JSON.parse(readFileSync(STEPS_FILE, 'utf8'));
    const id = Number(activeMutant.id);
    const path = activeMutant.fileName.split(sep);
    const folder = path[path.lastIndexOf('src') + 1];
    const activate = this.#define(folder, mutantActivation === 'static' ? id : undefined);
    activate(id);
    const filter = new Set(testFilter);
    const result = await this.#run((name) => testFilter === undefined || filter.has(name));
    return toMutantRunResult(result);
  }

  /** Defines the tests of a folder, all modules loaded anew. Gives the function that activates a mutant from then on. */
  #define(folder, activeMutant) {
    circus.resetState();
    // A stack for each test, which nobody reads, would be a third of the time.
    const { captureStackTrace, stackTraceLimit } = Error;
    Object.assign(Error, { captureStackTrace: undefined, stackTraceLimit: 0 });
    try {
      return this.#loaders.get(folder)(this.#covered, this.#checkSteps, activeMutant);
    } finally {
      Object.assign(Error, { captureStackTrace, stackTraceLimit });
    }
  }

  /** Ends a test that runs without end, or for minutes. */
  #checkSteps = () => {
    this.#taken += 1;
    if (this.#taken > this.#mayTake || performance.now() > this.#mustEnd) throw new Error('The test takes too long.');
  };

  /** Adds the runs of each mutant since the last call, by its number. */
  #takeCovered(counts) {
    this.#covered.forEach((count, mutant) => {
      if (count > 0) counts[mutant] = (counts[mutant] ?? 0) + count;
    });
    this.#covered.fill(0);
    return counts;
  }

  async #run(isWanted, onDone) {
    const tests = [];
    let isDead = false;
    const handleEvent = (event, state) => {
      if (event.name === 'run_start') {
        const killers = [...this.#killers];
        sortByRank(state.rootDescribeBlock, (name) => killers.indexOf(name) + 1 || -(this.#durations.get(name) ?? 0));
      }
      if (event.name === 'test_start' && (isDead || TOO_LONG.test(event.test.name) || !isWanted(nameOf(event.test)))) {
        event.test.mode = 'skip';
      }
      if (event.name === 'test_start') {
        this.#taken = 0;
        this.#mayTake = MAX_STEPS * (1 + (this.#usual?.[nameOf(event.test)] ?? Infinity));
        this.#mustEnd = this.#usual === undefined ? Infinity : performance.now() + MAX_TIME;
      }
      if (event.name === 'test_fn_failure') {
        isDead = true;
        this.#killers.delete(event.test.name);
        this.#killers.add(event.test.name);
      }
      if (event.name === 'test_done') {
        const result = resultOf(event.test);
        tests.push(result);
        onDone?.(result.id);
        if (event.test.mode !== 'skip') this.#durations.set(event.test.name, event.test.duration);
      }
    };
    // Code that fails after its test has ended, or outside of the promise that a test waits for.
    const handleError = (error) => {
      isDead = true;
      tests.push({ id: 'uncaught', name: 'uncaught', timeSpentMs: 0, status: TestStatus.Failed, failureMessage: String(error) });
    };
    circus.addEventHandler(handleEvent);
    process.on('uncaughtException', handleError);
    process.on('unhandledRejection', handleError);
    try {
      await circus.run();
    } finally {
      circus.removeEventHandler(handleEvent);
      process.off('uncaughtException', handleError);
      process.off('unhandledRejection', handleError);
    }
    return { status: DryRunStatus.Complete, tests };
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'circus', Runner)];

/**
 * Bundles the tests of a folder. Gives the function that defines them and gives a function that sets `activeMutant`. `TESTS` names some of the
 * tests: fewer run for a mutant that survives.
 */
async function bundleLoader(folder) {
  const root = process.cwd();
  const requireModule = createRequire(join(root, 'test/mutation/runner.js'));
  const require = (id) => (id === '@jest/globals' ? { ...circus, expect } : requireModule(id));
  const code = await bundleTests(root, folder, new RegExp(process.env.TESTS ?? ''));
  const script = new Script(
    `(function (require, exports, covered, onSteps, activeMutant) {
      let stepsToCheck = ${STEPS};
      const checkSteps = () => { stepsToCheck = ${STEPS}; onSteps(); };
      ${code}
      return (id) => { activeMutant = id; };
    })`,
    { filename: 'tests.cjs', importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  );
  return (...given) => script.runInThisContext()(require, {}, ...given);
}

/** The names of the blocks around a test, and its own. */
function nameOf(test) {
  const names = [test.name];
  for (let block = test.parent; block.parent !== undefined; block = block.parent) names.unshift(block.name);
  return names.join(' ');
}

function resultOf(test) {
  const result = { id: nameOf(test), name: nameOf(test), timeSpentMs: test.duration ?? 0 };
  if (test.mode === 'skip') return { ...result, status: TestStatus.Skipped };
  if (test.errors.length === 0) return { ...result, status: TestStatus.Success };
  return { ...result, status: TestStatus.Failed, failureMessage: test.errors.flat().map(String).join('\n') };
}

/** Sorts a block and the blocks in it, stably, the highest rank first. Gives that rank. */
function sortByRank(block, rankOf) {
  const ranked = block.children
    .map((child) => ({ child, rank: child.type === 'describeBlock' ? sortByRank(child, rankOf) : rankOf(child.name) }))
    .sort((one, other) => other.rank - one.rank);
  block.children = ranked.map(({ child }) => child);
  return ranked[0]?.rank ?? -Infinity;
}
