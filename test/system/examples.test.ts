import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeFolder, PROJECT, runNode } from '../support/run.js';

/** A project of its own, with the files of an example and the library installed. */
function makeExampleProject(example: string, manifest: string): string {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'package.json'), manifest);
  cpSync(join(PROJECT, 'examples', example), cwd, { recursive: true });
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(PROJECT, join(cwd, 'node_modules/webmail-diaglog'));
  return cwd;
}

/** The program of an example's pipeline, made to cut lines. */
const cutLines = (pipeline: string): string => pipeline.replace('{ message }', '{ message: message.slice(0, 100) }');

const JEST = [join(PROJECT, 'node_modules/jest/bin/jest.js'), '--runInBand', '--no-watchman'];
const NODE_TEST = ['--test', '--test-reporter', 'tap'];

test.each([
  ['jest', 'ship.cjs', JEST, /^PASS /m, /"received\.ndjson:1 altered"/],
  ['node-test', 'ship.mjs', NODE_TEST, /^# pass 1$/m, /how: 'cut after 100 bytes'/],
])('the test in %s passes, and fails for a pipeline that cuts lines', async (example, file, args, passes, fails) => {
  const cwd = makeExampleProject(example, '{ "name": "pipeline", "version": "1.0.0", "main": "index.js" }\n');
  const env = { NODE_TEST_CONTEXT: undefined };
  const passed = await runNode(args, { cwd, env });
  expect(passed.stdout + passed.stderr).toMatch(passes);
  expect(passed.exit).toBe(0);
  writeFileSync(join(cwd, file), cutLines(readFileSync(join(cwd, file), 'utf8')));
  const failed = await runNode(args, { cwd, env });
  expect(failed.stdout + failed.stderr).toMatch(fails);
  expect(failed.exit).toBe(1);
});

test('the pipeline test in plain Node prints what its page shows, and fails for a pipeline that cuts lines', async () => {
  const cwd = makeExampleProject('pipeline', '{ "name": "pipeline", "version": "1.0.0" }\n');
  const shown = /^```text\n(.*?)^```$/ms.exec(readFileSync(join(cwd, 'README.md'), 'utf8'))?.[1];
  expect(await runNode(['test-pipeline.mjs'], { cwd })).toEqual({ exit: 0, stdout: shown, stderr: '' });
  writeFileSync(join(cwd, 'ship.mjs'), cutLines(readFileSync(join(cwd, 'ship.mjs'), 'utf8')));
  const { exit, stderr } = await runNode(['test-pipeline.mjs'], { cwd });
  expect(stderr).toContain("how: 'cut after 100 bytes'");
  expect(exit).toBe(1);
});

test('the test in TypeScript compiles under its strict options, and passes', async () => {
  const cwd = makeExampleProject('typescript', '{ "name": "pipeline", "version": "1.0.0", "type": "module" }\n');
  symlinkSync(join(PROJECT, 'node_modules/@types'), join(cwd, 'node_modules/@types'));
  const compiled = await runNode([join(PROJECT, 'node_modules/typescript/bin/tsc')], { cwd });
  expect(compiled).toEqual({ exit: 0, stdout: '', stderr: '' });
  const ran = await runNode(['--test', 'out/'], { cwd, env: { NODE_TEST_CONTEXT: undefined } });
  expect({ ...ran, stdout: '' }).toEqual({ exit: 0, stdout: '', stderr: '' });
});
