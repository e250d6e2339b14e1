import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeText } from '../../src/log/byte-string.js';
import { describeWith } from '../support/programs.js';
import { expectedCaptures, FORMS, KINDS, regexPath, type Form, type Kind } from '../support/regex-files.js';
import { PROJECT, runShell } from '../support/run.js';
import { BYTE_ENGINES, TEXT_MODES } from './engines.js';
import { writeOddLog } from './odd-log.js';

const CAPTURES = { 'load-failure': '$1 $2 $4 $5 $6 $7 $8 $9', deprecation: '$1 $2 $3 $4 $5' } as const;

/** A log, and the captures that are to be found in it. */
interface Corpus {
  readonly path: string;
  readonly captures: Readonly<Record<Kind, string>>;
}

let folder = '';
const corpora: Corpus[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webmail-diaglog-'));
  copyFileSync(join(PROJECT, 'fixtures/captured/error.log'), join(folder, 'error.log'));
  await runShell(`gunzip -c "${PROJECT}/fixtures/captured/concurrent.log.gz" > concurrent.log`, { cwd: folder });
  await writeOddLog(folder);
  for (const name of ['error.log', 'concurrent.log', 'odd.log']) {
    const path = join(folder, name);
    const log = readFileSync(path, 'latin1');
    const captures = { 'load-failure': expectedCaptures(log, 'load-failure'), deprecation: expectedCaptures(log, 'deprecation') };
    corpora.push({ path, captures });
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the script of an engine over a log. */
function runEngine(script: string, kind: Kind, form: Form, log: string): ReturnType<typeof runShell> {
  return runShell(script, {
    cwd: folder,
    env: { pattern: regexPath(kind, form), log, captures: CAPTURES[kind], engines: join(PROJECT, 'test/collectors/engines') },
  });
}

test('every line of the corpora is a record', () => {
  for (const { path, captures } of corpora) {
    const lines = readFileSync(path, 'latin1').split('\n').length;
    expect(KINDS.map((kind) => captures[kind].split('\n').length - 1).reduce((sum, count) => sum + count) + 1).toBe(lines);
    expect(lines).toBeGreaterThan(2500);
  }
});

for (const engine of BYTE_ENGINES) {
  describeWith(engine.needs, engine.name, () => {
    test.each(engine.forms.flatMap((form) => KINDS.map((kind) => [kind, form] as const)))(
      '%s, %s: the captures are those of the library, byte for byte',
      async (kind, form) => {
        for (const { path, captures } of corpora) {
          const { exit, stdout, stderr } = await runEngine(engine.script, kind, form, path);
          expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
          expect(stdout === captures[kind]).toBe(true);
        }
      },
    );

    const refused = FORMS.filter((form) => !engine.forms.includes(form));
    if (refused.length > 0)
      test.each(refused)('refuses the form %s', async (form) => {
        const [corpus] = corpora;
        const { exit, stdout } = await runEngine(engine.script, 'deprecation', form, corpus?.path ?? '');
        expect(stdout.length).toBe(0);
        expect(exit).not.toBe(0);
      });
  });
}

for (const { name, needs, outcome, script } of TEXT_MODES) {
  describeWith(needs, name, () => {
    test(`lines with bytes that are not UTF-8: ${outcome}`, async () => {
      for (const { path, captures } of corpora) {
        const expected = captures['load-failure'].split('\n').slice(0, -1);
        const inUtf8 = expected.filter((text) => decodeText(text) !== undefined).length;
        const { exit, stdout } = await runEngine(script, 'load-failure', 'numbered', path);
        if (inUtf8 === expected.length || outcome === 'unmatched') expect(Number(stdout)).toBe(inUtf8);
        else expect(exit).not.toBe(0);
      }
    });
  });
}
