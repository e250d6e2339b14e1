import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { RULE_NAMES } from '../../../src/check/rules.js';
import { createDeployment } from '../../../src/log/deployment.js';
import { call, callEach, expectRefused } from '../../support/call.js';
import { GROUP, groupAt, SECOND } from '../../support/records.js';
import { endBy, makeFolder, objectsOf, runShell } from '../../support/run.js';

const FOREIGN = `${GROUP}PHP \x1b[31mFatal\n`;
const FOUND = '<stdin>:9: foreign: "PHP \\x1b[31mFatal"; expected a load-failure or a deprecation record\n';

describe('check', () => {
  test.each([
    [[], '1 violation'],
    [['--max', '0'], '0 violations'],
    [['--json'], '1 violation'],
  ])('%j: the message of a log that ends early does not count the summary', async (args, written) => {
    const cwd = makeFolder({ 'cut.gz': gzipSync(FOREIGN).subarray(0, -4) });
    const { exit, stderr } = await call(['check', ...args, 'cut.gz'], { cwd });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringContaining(`(${written} written, `) });
  });

  test.each<[string, string[], string, number, string]>([
    ['nothing is found: 0', [], GROUP, 0, '<stdin>: 0 violations in 1 group, 8 lines\n'],
    ['an empty log', ['-'], '', 0, '<stdin>: 0 violations in 0 groups, 0 lines\n'],
    ['an empty log, with its own deployment', ['--infer'], '', 0, '<stdin>: 0 violations in 0 groups, 0 lines\n'],
    ['something is found: 1', [], FOREIGN, 1, `${FOUND}<stdin>: 1 violation in 1 group, 9 lines: 1 foreign\n`],
    [
      'what is allowed is counted: 0',
      ['--allow', 'interleaved,foreign'],
      FOREIGN,
      0,
      '<stdin>: 0 violations in 1 group, 9 lines; allowed: 1 foreign\n',
    ],
    [
      '--allow may be repeated, and hold blanks',
      ['--allow', 'foreign , ending', '--allow', 'timestamp'],
      FOREIGN.slice(0, -1),
      0,
      '<stdin>: 0 violations in 1 group, 9 lines; allowed: 1 foreign\n',
    ],
    [
      '--max caps what is written, not what is counted',
      ['--max', '1e0'],
      `${FOREIGN}x\ny\n`,
      1,
      `${FOUND}<stdin>: 3 violations in 1 group, 11 lines: 3 foreign; violations: 2 not shown, see --max\n`,
    ],
    [
      '--max 0: the summary alone',
      ['--max', '0'],
      FOREIGN,
      1,
      '<stdin>: 1 violation in 1 group, 9 lines: 1 foreign; violations: 1 not shown, see --max\n',
    ],
    [
      'another deployment',
      ['--plugins', 'a', '--install-root', '/srv'],
      groupAt(0, '/', createDeployment({ plugins: ['a'], installRoot: '/srv' })),
      0,
      '<stdin>: 0 violations in 1 group, 2 lines\n',
    ],
  ])('%s', async (_what, args, stdin, exit, stdout) => {
    expect(await call(['check', ...args], { stdin })).toEqual({ exit, stdout, stderr: '' });
  });

  test.each([
    ['a program', '#!/bin/sh\necho x\n', [], 1, 'webmail-diaglog: <stdin>: no line is a record; check the file\n'],
    ['a program, whose lines are allowed', '#!/bin/sh\necho x\n', ['--allow', 'foreign'], 0, ''],
    ['records of an incomplete group', GROUP.slice(0, GROUP.indexOf('\n') + 1), ['--allow', 'incomplete'], 0, ''],
    ['records with a CR', GROUP.replaceAll('\n', '\r\n'), ['--allow', 'ending'], 0, ''],
  ])('%s: exit %#', async (_what, stdin, args, exit, stderr) => {
    const result = await call(['check', '--max', '0', ...args], { stdin });
    expect({ exit: result.exit, stderr: result.stderr }).toEqual({ exit, stderr });
    expect(result.stdout).toMatch(/^<stdin>: \d+ violations? in/);
  });

  describe('the log of another installation', () => {
    const OTHER = createDeployment({ installRoot: '/srv/mail', timezone: 'Asia/Kolkata', plugins: ['a', 'b'], loaderLine: 200 });
    const LOG = groupAt(SECOND, '/mail/', OTHER) + groupAt(SECOND + 1, '/mail/', OTHER);

    test('the summary names --infer, which finds nothing', async () => {
      const calls = ['check --max 0', 'check --infer', 'check --max 0 --json'];
      const [given, inferred, json] = await callEach(calls, { stdin: LOG });
      expect(given?.exit).toBe(1);
      expect(given?.stdout.endsWith('not shown, see --max; the log is that of another installation, see --infer\n')).toBe(true);
      expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ kind: 'summary', other_installation: true });
      expect(inferred).toEqual({ exit: 0, stdout: '<stdin>: 0 violations in 2 groups, 6 lines\n', stderr: '' });
    });

    test('--infer takes the first complete group of several files, which may be read only once', async () => {
      const records = LOG.split('\n');
      const cwd = makeFolder({ a: records.slice(1, 4).join('\n') });
      expect(await runShell(`webmail-diaglog check --infer a - <<< '${records.slice(4, -1).join('\n')}'`, { cwd })).toEqual({
        exit: 1,
        stdout: `a:1: incomplete: the group lacks "a"; expected all 3 records of a request
a:3: ending: no LF at the end of the log; expected an LF after each record
a, <stdin>: 2 violations in 2 groups, 5 lines: 1 incomplete, 1 ending
`,
        stderr: '',
      });
    });

    test('a log without a complete group names --deployment', async () => {
      const { exit, stderr } = await call('check --infer', { stdin: GROUP.slice(GROUP.lastIndexOf('[')) });
      expect({ exit, stderr }).toEqual({
        exit: 1,
        stderr: expect.stringContaining('the log holds no complete group; give --deployment instead of --infer'),
      });
    });
  });

  test('--json: an object for each violation, then the summary', async () => {
    const { exit, stdout } = await call('check --json --allow ending', { stdin: FOREIGN + GROUP.slice(0, -1) });
    expect(exit).toBe(1);
    expect(objectsOf(stdout)).toEqual([
      expect.objectContaining({ kind: 'violation', line: 9, found: 'PHP \u001b[31mFatal' }),
      {
        kind: 'summary',
        source: '<stdin>',
        lines: 17,
        groups: 2,
        violations: 1,
        shown: 1,
        rules: { foreign: 1 },
        allowed: { ending: 1 },
      },
    ]);
  });

  test('-o appends the report', async () => {
    const cwd = makeFolder({ 'error.log': GROUP });
    const report = 'error.log: 0 violations in 1 group, 8 lines\n';
    for (const _ of [1, 2]) expect((await call('check error.log -o report', { cwd })).stdout).toBe('');
    expect(readFileSync(join(cwd, 'report'), 'utf8')).toBe(report + report);
  });

  test('is exit 2, and one line says why', async () => {
    const rules = `is not one of the rules; the rules are ${RULE_NAMES.join(', ')}`;
    await expectRefused('check', makeFolder(), {
      '--allow foreign,x': `--allow: "x" ${rules}`,
      "--allow ''": `--allow: "" ${rules}`,
      '--allow foreign --allow ending,': `--allow: "" ${rules}`,
      '--infer --timezone UTC': '--infer: takes the deployment from the log; leave out --timezone',
      '--infer --install-root /srv': '--infer: takes the deployment from the log; leave out --install-root',
    });
  });

  test('a signal ends it, and it says how many lines have been read', async () => {
    expect(await endBy('SIGINT', 'check', `x\n${GROUP}half a line`)).toEqual({
      exit: 'SIGINT',
      stdout: '<stdin>:1: foreign: "x"; expected a load-failure or a deprecation record\n',
      stderr: 'webmail-diaglog: ended by SIGINT (1 violation written, stopped after line 9)\n',
    });
  });
});
