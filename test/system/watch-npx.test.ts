import { once } from 'node:events';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { makeFolder, outcome, startShell } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';

/** The size of a group for the longest observed target, and a little more. */
const GROUP_BYTES = 2000;

interface Orphan {
  readonly pid: number;
  /** The bytes in its log. */
  readonly written: () => number;
  readonly messages: () => string;
}

/** Starts a live run as the child of a shell, and ends the shell. @param script the command that npx would have been given */
async function startOrphan(script: string): Promise<Orphan> {
  const cwd = makeFolder();
  const env = { npm_lifecycle_event: 'npx', npm_lifecycle_script: script };
  const call = '"${program[@]}" synth --live --rate 200 --count forever -o error.log 2> messages > /dev/null & echo $!; wait';
  const shell = startShell(call, { cwd, env });
  const pid = Number(shell.stdout && String((await once(shell.stdout, 'data'))[0]));
  const written = (): number => sizeOf(join(cwd, 'error.log'));
  await until(() => written() > 0);
  shell.kill('SIGKILL');
  await outcome(shell);
  return { pid, written, messages: () => readFileSync(join(cwd, 'messages'), 'utf8') };
}

test('a run that npx has started ends when its parent has ended', async () => {
  const { messages } = await startOrphan("'webmail-diaglog'");
  await until(() => messages().includes(' written)'));
  expect(messages()).toMatch(/\nwebmail-diaglog: ended because npx has ended \(\d+ groups? written\)\n$/);
});

test('a run that a script of npx has started may outlive npx', async () => {
  const { pid, written, messages } = await startOrphan('make live');
  // That takes twice as long as the parent is looked for.
  const enough = written() + 2 * 200 * GROUP_BYTES;
  await until(() => written() > enough);
  process.kill(pid, 'SIGTERM');
  await until(() => messages().includes(' written)'));
  expect(messages()).toMatch(/ended by SIGTERM/);
});
