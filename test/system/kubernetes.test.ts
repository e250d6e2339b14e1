import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Job } from 'kubernetes-models/batch/v1';
import { ConfigMap } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import { makeFolder, PROJECT, runNode } from '../support/run.js';

const MANIFESTS = [
  ['options.yaml', ConfigMap],
  ['make.yaml', Job],
  ['compare.yaml', Job],
] as const;

function readManifest(name: string, change = (yaml: string): string => yaml): object {
  const manifest: unknown = parse(change(readFileSync(join(PROJECT, 'examples/kubernetes', name), 'utf8')));
  if (typeof manifest !== 'object' || manifest === null) throw new Error(`${name} is not a manifest`);
  return manifest;
}

test.each(MANIFESTS)('examples/kubernetes/%s has the kinds and values of the schema', (name, Model) => {
  const validate = (manifest: object) => (): void => {
    new Model(manifest).validate();
  };
  expect(validate(readManifest(name))).not.toThrow();
  const misnamed = readManifest(name, (yaml) => yaml.replace(/(\nmetadata:\n {2}name:) .*/, '$1 1'));
  expect(validate(misnamed)).toThrow('metadata/name must be string');
});

/** Type-checks manifests as literals. TypeScript refuses fields that the schema does not have, as a cluster does; `validate` lets them pass. */
async function typecheck(manifests: readonly (readonly [string, object])[]): Promise<string> {
  const cwd = makeFolder();
  symlinkSync(join(PROJECT, 'node_modules'), join(cwd, 'node_modules'));
  const types =
    "import type { IJob } from 'kubernetes-models/batch/v1';\nimport type { IConfigMap } from 'kubernetes-models/v1';\n";
  const literals = manifests.map(([type, manifest]) => `void (${JSON.stringify(manifest)} satisfies ${type});\n`);
  writeFileSync(join(cwd, 'manifests.ts'), types + literals.join(''));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', 'node', '--module', 'preserve', 'manifests.ts'];
  return (await runNode([join(PROJECT, 'node_modules/typescript/bin/tsc'), ...options], { cwd })).stdout;
}

test('the manifests in examples/kubernetes have no field that the schema does not have', async () => {
  const manifests = [
    ['IConfigMap', readManifest('options.yaml')],
    ['IJob', readManifest('make.yaml')],
    ['IJob', readManifest('compare.yaml')],
  ] as const;
  expect(await typecheck(manifests)).toBe('');
  const misspelt = readManifest('make.yaml', (yaml) => yaml.replace('completionMode', 'completionModus'));
  expect(await typecheck([['IJob', misspelt]])).toContain('"completionModus"\' does not exist in type');
});
