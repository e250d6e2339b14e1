import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { PROJECT, runShell } from '../support/run.js';

const PAGES = 'dist/man/*.1';

describeWith(['mandoc'], 'the man pages', () => {
  test('have no fault that mandoc finds, not even of style', async () => {
    expect(await runShell(`mandoc -T lint ${PAGES}`, { cwd: PROJECT })).toEqual({ exit: 0, stdout: '', stderr: '' });
  });
});

describeWith(['man', 'groff'], 'the man pages', () => {
  test('are shown by man without a warning, and examples in it can be copied', async () => {
    const env = { MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
    const { exit, stdout, stderr } = await runShell(`man --warnings=w --local-file ${PAGES}`, { cwd: PROJECT, env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain('\n         webmail-diaglog check --json error.log | jq -c \'select(.rule == "path")\'\n');
    expect(stdout).toContain('\n       -o, --output <file>\n              append to a file instead of writing to stdout\n');
  });
});
