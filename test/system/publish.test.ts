import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { VERSION } from '../../src/version.js';
import { makeFolder, PROJECT, runShell } from '../support/run.js';

test('npm would publish this version, with the command, the library, the man pages and no test', async () => {
  const workflow = readFileSync(join(PROJECT, '.github/workflows/release.yml'), 'utf8');
  // The provenance is made in the workflow alone.
  const publish =
    /(?<=run: )npm publish .*/.exec(workflow)?.[0].replace('--provenance', '--dry-run --json --ignore-scripts') ?? '';
  const script = `mkdir release && npm pack --ignore-scripts --pack-destination release ${PROJECT} > packed && ${publish}`;
  const { exit, stdout, stderr } = await runShell(`${script} --registry http://127.0.0.1:9/ --fetch-retries 0`, {
    cwd: makeFolder(),
  });
  expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toContain(`"id": "webmail-diaglog@${VERSION}"`);
  const paths = Array.from(stdout.matchAll(/"path": "([^"]+)"/g), ([, path = '']) => path);
  for (const path of ['bin/webmail-diaglog.js', 'dist/index.js', 'dist/index.d.ts', 'dist/man/webmail-diaglog-canary.1'])
    expect(paths).toContain(path);
  expect(paths.filter((path) => /^(?:test|src|man|\.ci)\//.test(path))).toEqual([]);
});
