import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeFolder, PROJECT, runNode, runShell } from './support/run.js';

test('the command of the Kubernetes job makes the slices of one log, whatever index a pod has', async () => {
  const manifest = readFileSync(join(PROJECT, 'examples/kubernetes/job.yaml'), 'utf8');
  const completions = Number(/completions: (\d+)/.exec(manifest)?.[1]);
  const script = (/args:\n {12}- \|\n((?: {14}.*\n)+)/.exec(manifest)?.[1] ?? '').replace(/^ {14}/gm, '');
  expect(script).toContain(`/${String(completions)}"`);

  const cwd = makeFolder();
  mkdirSync(join(cwd, 'logs'));
  // The same command, for a smaller log in this folder, and fewer pods.
  const small = script
    .replaceAll('/logs/', `${cwd}/logs/`)
    .replace('--count 1000000000', '--count 100')
    .replace(`/${String(completions)}"`, '/3"');
  const pods = `for JOB_COMPLETION_INDEX in 0 1 2; do ${small}\ndone`;
  const whole = 'webmail-diaglog synth --seed 7 --count 100 --from 2025-03-01 --to 2025-04-01 --profile office';
  expect(await runShell(`${pods}\ncat logs/error.*.log | cmp - <(${whole}) && ls logs | wc -l`, { cwd })).toEqual({
    exit: 0,
    stdout: '3\n',
    stderr: '',
  });
  expect(readdirSync(join(cwd, 'logs'))[0]).toBe('error.0000.log');
});

test('docs/operation.md shows the file for logrotate as it is, but for its comments', () => {
  const config = readFileSync(join(PROJECT, 'examples/logrotate/webmail-diaglog'), 'utf8');
  const shown = /^```conf\n(.*?)^```$/ms.exec(readFileSync(join(PROJECT, 'docs/operation.md'), 'utf8'))?.[1];
  expect(shown).toBe(config.replace(/^ *#.*\n/gm, ''));
});

/** A project of its own, with the files of an example and the library installed. */
function makeProject(example: string, manifest: string): string {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'package.json'), manifest);
  cpSync(join(PROJECT, 'examples', example), cwd, { recursive: true });
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(PROJECT, join(cwd, 'node_modules/webmail-diaglog'));
  return cwd;
}

test('the pipeline test in plain Node prints what its page shows, and fails for a pipeline that cuts lines', async () => {
  const cwd = makeProject('pipeline', '{ "name": "pipeline", "version": "1.0.0" }\n');
  const shown = /^```text\n(.*?)^```$/ms.exec(readFileSync(join(cwd, 'README.md'), 'utf8'))?.[1];
  expect(await runNode(['test-pipeline.mjs'], { cwd })).toEqual({ exit: 0, stdout: shown, stderr: '' });
  const ship = readFileSync(join(cwd, 'ship.mjs'), 'utf8');
  writeFileSync(join(cwd, 'ship.mjs'), ship.replace('{ message }', '{ message: message.slice(0, 100) }'));
  const { exit, stderr } = await runNode(['test-pipeline.mjs'], { cwd });
  expect(stderr).toContain("how: 'cut after 100 bytes'");
  expect(exit).toBe(1);
});

test.each([
  ['passes', (pipeline: string) => pipeline, 0, /^PASS /],
  [
    'fails for a pipeline that cuts lines',
    (pipeline: string) => pipeline.replace('{ message }', '{ message: message.slice(0, 100) }'),
    1,
    /"how": "cut after 100 bytes"/,
  ],
] as const)('the test in Jest %s, in a plain CommonJS project without configuration', async (_, change, exit, report) => {
  const cwd = makeProject('jest', '{ "name": "pipeline", "version": "1.0.0", "main": "index.js" }\n');
  writeFileSync(join(cwd, 'ship.cjs'), change(readFileSync(join(cwd, 'ship.cjs'), 'utf8')));
  const ran = await runNode([join(PROJECT, 'node_modules/jest/bin/jest.js'), '--runInBand', '--no-watchman'], { cwd });
  expect(ran.stderr).toMatch(report);
  expect(ran.exit).toBe(exit);
});
