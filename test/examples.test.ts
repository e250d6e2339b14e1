import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeFolder, PROJECT, runShell } from './support/run.js';

/** A manifest of examples/kubernetes. */
function readManifest(name: string): string {
  return readFileSync(join(PROJECT, 'examples/kubernetes', name), 'utf8');
}

/** The script of the pods of a job. */
function scriptOf(manifest: string): string {
  return (/args:\n {12}- \|\n((?: {14}.*\n)+)/.exec(manifest)?.[1] ?? '').replace(/^ {14}/gm, '');
}

test('the pods of the Kubernetes jobs make the slices of one log, and compare each with what was received of it', async () => {
  const options = readManifest('options.yaml');
  const make = readManifest('make.yaml');
  const compare = readManifest('compare.yaml');
  for (const job of [make, compare]) {
    expect(/completions: (\d+)/.exec(job)?.[1]).toBe(/SLICES: '(\d+)'/.exec(options)?.[1]);
  }
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'logs'));
  // The same options, for a smaller log with more faults, and the same commands, in this folder and by fewer pods.
  const synth = (/SYNTH: >-\n((?: {4}.*\n)+)/.exec(options)?.[1] ?? '')
    .replace('--count 1000000000', '--count 100')
    .replace('all:0.0001', 'all:0.01')
    .replaceAll('\n', ' ');
  const podsOf = (manifest: string): string =>
    `for JOB_COMPLETION_INDEX in 0 1 2; do ${scriptOf(manifest).replaceAll(/\/(?:logs|received)\//g, `${cwd}/logs/`)} done`;
  const lose = 'sed -i 8d logs/error.0001.log';
  const script = `
    set -o pipefail; SLICES=3; SYNTH='${synth}'; exec 2> messages
    ${podsOf(make)}
    webmail-diaglog synth $SYNTH | cmp - <(cat logs/error.*.log) || echo other bytes
    cat logs/faults.*.ndjson | wc -l
    ${podsOf(compare)} && cat logs/compare.*.ndjson | grep -c '"missing":0'
    ${lose}; JOB_COMPLETION_INDEX=1
    ${scriptOf(compare).replaceAll('/received/', `${cwd}/logs/`)} echo $?
    grep -c '"kind":"missing"' logs/compare.0001.ndjson; ls logs | wc -l`;
  expect((await runShell(script, { cwd })).stdout).toBe('8\n3\n1\n1\n9\n');
});

test('a pod that cannot make its slice again fails, though nothing was received either', async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'error.0000.log'), '');
  const pod = scriptOf(readManifest('compare.yaml')).replaceAll('/received/', `${cwd}/`);
  const script = `set -eu; SLICES=3; SYNTH=--cuont; JOB_COMPLETION_INDEX=0\n${pod}`;
  const { exit, stderr } = await runShell(script, { cwd });
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining("unknown option '--cuont'") });
});

test('docs/operation.md shows the file for logrotate as it is, but for its comments', () => {
  const config = readFileSync(join(PROJECT, 'examples/logrotate/webmail-diaglog'), 'utf8');
  const shown = /^```conf\n(.*?)^```$/ms.exec(readFileSync(join(PROJECT, 'docs/operation.md'), 'utf8'))?.[1];
  expect(shown).toBe(config.replace(/^ *#.*\n/gm, ''));
});
