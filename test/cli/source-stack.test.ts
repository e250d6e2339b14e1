import { expect, test } from '@jest/globals';
import { BIN, runNode } from '../support/run.js';

test('the stack of a fault of this program names the lines of the sources, not those of the bundle', async () => {
  const fault = 'data:text/javascript,Intl.DateTimeFormat = class { constructor() { throw new TypeError("boom"); } };';
  const { exit, stderr } = await runNode(['--import', fault, BIN, 'replay', '-'], { stdin: '1747562400,/mail/\n' });
  expect(stderr).toMatch(/Error: .*\n +at (?:Object\.)?zoneNamed \(src\/log\/zone\.ts:\d+:\d+\)\n/);
  expect(stderr).not.toContain('dist/cli/run-');
  expect(exit).toBe(1);
});
