import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseDeployment } from '../../src/log/deployment.js';
import { callEach } from '../support/call.js';
import { makeFolder, PROJECT, readBytes } from '../support/run.js';

const FOLDER = join(PROJECT, 'fixtures/deployments');
const FILES = readdirSync(FOLDER);

/** The drivers of the others leave the stamp to an envelope. */
const STAMPED = FILES.filter((file) => parseDeployment(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))).driver === 'file');

test.each(STAMPED)('fixtures/deployments/%s: its log is clean, and parse gives back list and deployment', async (file) => {
  const cwd = makeFolder();
  const site = `--deployment ${FOLDER}/${file}`;
  const made = [`synth --count 20 ${site} -o log`, 'parse --as deployment log -o site.json', 'parse log -o list.csv'];
  const checks = [`check ${site} log`, 'check --infer log'];
  const back = 'replay --order keep --deployment site.json list.csv -o back';
  const results = await callEach([...made, ...checks, back], { cwd });
  expect(results.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(results.map(() => ({ exit: 0, stderr: '' })));
  expect(results[3]?.stdout).toMatch(/^log: 0 violations in 20 groups, \d+ lines\n$/);
  expect(results[4]?.stdout).toBe(results[3]?.stdout);
  expect(readBytes(cwd, 'back')).toBe(readBytes(cwd, 'log'));
});
