import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseDeployment } from '../../src/log/deployment.js';
import { requireBuild } from '../support/built.js';
import { makeFolder, PROJECT, runShell } from '../support/run.js';

requireBuild();

const FOLDER = join(PROJECT, 'fixtures/deployments');
const FILES = readdirSync(FOLDER);

/** The drivers of the others leave the stamp to an envelope. */
const STAMPED = FILES.filter((file) => parseDeployment(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))).driver === 'file');

test.each(STAMPED)('fixtures/deployments/%s: its log is clean, and parse gives back list and deployment', async (file) => {
  const { stdout, stderr, exit } = await runShell(
    `set -e -o pipefail
     "\${program[@]}" synth --count 20 --deployment "${FOLDER}/${file}" > log
     "\${program[@]}" check --max 0 --deployment "${FOLDER}/${file}" log
     "\${program[@]}" check --max 0 --infer log
     "\${program[@]}" parse --as deployment log > site.json
     "\${program[@]}" parse log | "\${program[@]}" replay --order keep --deployment site.json | cmp - log`,
    { cwd: makeFolder() },
  );
  expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
  expect(stdout).toMatch(/^(?:log: 0 violations in 20 groups, \d+ lines\n){2}$/);
});
