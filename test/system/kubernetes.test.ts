import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Job } from 'kubernetes-models/batch/v1';
import { parseAllDocuments } from 'yaml';
import { makeFolder, PROJECT, runNode, runShell } from '../support/run.js';

function readText(name: string): string {
  return readFileSync(join(PROJECT, 'examples/kubernetes', name), 'utf8');
}

function readManifests(name: string, change = (yaml: string): string => yaml): readonly object[] {
  return parseAllDocuments(change(readText(name))).map((document) => {
    const manifest: unknown = document.toJS();
    if (typeof manifest !== 'object' || manifest === null) throw new Error(`${name} holds something else`);
    return manifest;
  });
}

/** Type-checks manifests as literals. TypeScript refuses fields that the schema does not have, as a cluster does; `validate` lets them pass. */
async function typecheck(manifests: readonly (readonly [string, object])[]): Promise<string> {
  const cwd = makeFolder();
  symlinkSync(join(PROJECT, 'node_modules'), join(cwd, 'node_modules'));
  const types =
    "import type { IJob } from 'kubernetes-models/batch/v1';\nimport type { IDeployment } from 'kubernetes-models/apps/v1';\nimport type { IConfigMap, IService } from 'kubernetes-models/v1';\n";
  const literals = manifests.map(([type, manifest]) => `void (${JSON.stringify(manifest)} satisfies ${type});\n`);
  writeFileSync(join(cwd, 'manifests.ts'), types + literals.join(''));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', 'node', '--module', 'preserve', 'manifests.ts'];
  return (await runNode([join(PROJECT, 'node_modules/typescript/bin/tsc'), ...options], { cwd })).stdout;
}

test('the manifests in examples/kubernetes have no field that the schema does not have', async () => {
  const canary = ['IService', 'IDeployment'];
  const files = { 'options.yaml': ['IConfigMap'], 'make.yaml': ['IJob'], 'compare.yaml': ['IJob'], 'canary.yaml': canary };
  const manifests = Object.entries(files).flatMap(([name, types]) =>
    readManifests(name).map((manifest, index) => [types[index] ?? '', manifest] as const),
  );
  expect(await typecheck(manifests)).toBe('');
  for (const name of ['make.yaml', 'compare.yaml']) new Job(readManifests(name)[0]).validate();
  const misspelt = readManifests('make.yaml', (yaml) => yaml.replace('completionMode', 'completionModus'));
  expect(await typecheck(misspelt.map((manifest) => ['IJob', manifest]))).toContain('"completionModus"\' does not exist in type');
});

function scriptOf(manifest: string): string {
  return (/args:\n {12}- \|\n((?: {14}.*\n)+)/.exec(manifest)?.[1] ?? '').replace(/^ {14}/gm, '');
}

test('the pods of the Kubernetes jobs make the slices of one log, and compare each with what was received of it', async () => {
  const options = readText('options.yaml');
  const make = readText('make.yaml');
  const compare = readText('compare.yaml');
  for (const job of [make, compare]) expect(/completions: (\d+)/.exec(job)?.[1]).toBe(/SLICES: '(\d+)'/.exec(options)?.[1]);
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
  const cwd = makeFolder({ 'error.0000.log': '' });
  const pod = scriptOf(readText('compare.yaml')).replaceAll('/received/', `${cwd}/`);
  const script = `set -eu; SLICES=3; SYNTH=--cuont; JOB_COMPLETION_INDEX=0\n${pod}`;
  const { exit, stderr } = await runShell(script, { cwd });
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining("unknown option '--cuont'") });
});
