import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { target } from '../support/arbitraries.js';
import { PROJECT, runShell } from '../support/run.js';

const TARGETS = 3000;

/** Targets that configurations are known to get wrong, as byte strings. */
const KNOWN_TROUBLE: readonly string[] = [
  '/mail/?x=)',
  '/mail/?(GET',
  '/mail/?x=)\\',
  '/mail/?"quoted"&\'single\'&`back`',
  '/mail/?a,b;c|d#e~f^g$1&h%5C',
  '/mail/?]:[PHP]Error:',
  '/mail/?NEL=\xc2\x85&LS=\xe2\x80\xa8&NBSP=\xc2\xa0&BOM=\xef\xbb\xbf',
  '/mail/?bare=\x85&\xa0',
  '/mail/?cut=\xe2\x80',
  '/mail/?surrogate=\xed\xa0\x80',
  '/mail/?four=\xf0\x9f\x98\x80',
  '/mail/?bytes=\xff\xfe\x80\xc0\xaf',
  'http://host.example/mail/?absolute',
  `/mail/?long=${'x'.repeat(20_000)}`,
  `/mail/?longer=${'x'.repeat(100_000)}`,
];

/**
 * Writes a log of odd targets into a folder, by `synth --targets` in the one dialect and by `replay` in the other: its path.
 * The same in every run.
 */
export async function writeOddLog(folder: string): Promise<string> {
  const targets = [...KNOWN_TROUBLE, ...fc.sample(target, { numRuns: TARGETS, seed: 15 })];
  const cells = targets.map((text) => `"${text.replaceAll('"', '""')}"`);
  const log = join(folder, 'odd.log');
  writeFileSync(join(folder, 'targets.csv'), `request_target,weight\n${cells.map((cell) => `${cell},1\n`).join('')}`, 'latin1');
  writeFileSync(join(folder, 'requests.csv'), cells.map((cell) => `2025-05-18T12:00:00,${cell}\n`).join(''), 'latin1');
  const written = await runShell(
    `webmail-diaglog synth --arrivals even --seed 15 --count ${String(TARGETS)} --targets targets.csv -o odd.log &&
     webmail-diaglog replay --dialect php requests.csv -o odd.log --order keep`,
    { cwd: folder },
  );
  if (written.exit !== 0) throw new Error(written.stderr);
  return log;
}

const FIELD = join(PROJECT, 'test/reading/field');

/** The logs of public bug reports as one: records among lines of other kinds. lnav tells the format by the first lines. */
export const FIELD_LOG = ['debian-split-root.log', ...readdirSync(FIELD)]
  .map((name) => readFileSync(join(FIELD, name), 'latin1'))
  .join('');
