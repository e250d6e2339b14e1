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

test.each([
  ['passes', (pipeline: string) => pipeline, 0, /^PASS /],
  ['fails for a pipeline that cuts lines', cutLines, 1, /"received\.ndjson:1 altered"/],
] as const)('the test in Jest %s, in a plain CommonJS project without configuration', async (_, change, exit, report) => {
  const cwd = makeExampleProject('jest', '{ "name": "pipeline", "version": "1.0.0", "main": "index.js" }\n');
  writeFileSync(join(cwd, 'ship.cjs'), change(readFileSync(join(cwd, 'ship.cjs'), 'utf8')));
  const ran = await runNode([join(PROJECT, 'node_modules/jest/bin/jest.js'), '--runInBand', '--no-watchman'], { cwd });
  expect(ran.stderr).toMatch(report);
  expect(ran.exit).toBe(exit);
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

test.each([
  ['passes', (pipeline: string) => pipeline, 0, /^# pass 1$/m],
  ['fails for a pipeline that cuts lines', cutLines, 1, /how: 'cut after 100 bytes'/],
] as const)('the test in node:test %s', async (_, change, exit, report) => {
  const cwd = makeExampleProject('node-test', '{ "name": "pipeline", "version": "1.0.0" }\n');
  writeFileSync(join(cwd, 'ship.mjs'), change(readFileSync(join(cwd, 'ship.mjs'), 'utf8')));
  const ran = await runNode(['--test', '--test-reporter', 'tap'], { cwd, env: { NODE_TEST_CONTEXT: undefined } });
  expect(ran.stdout).toMatch(report);
  expect(ran.exit).toBe(exit);
});

test('the test in TypeScript compiles under its strict options, and passes', async () => {
  const cwd = makeExampleProject('typescript', '{ "name": "pipeline", "version": "1.0.0", "type": "module" }\n');
  symlinkSync(join(PROJECT, 'node_modules/@types'), join(cwd, 'node_modules/@types'));
  const compiled = await runNode([join(PROJECT, 'node_modules/typescript/bin/tsc')], { cwd });
  expect(compiled).toEqual({ exit: 0, stdout: '', stderr: '' });
  const ran = await runNode(['--test', 'out/'], { cwd, env: { NODE_TEST_CONTEXT: undefined } });
  expect({ ...ran, stdout: '' }).toEqual({ exit: 0, stdout: '', stderr: '' });
});
