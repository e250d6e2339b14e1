import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checked } from '../support/checked.js';
import { describeWith } from '../support/programs.js';
import { BIN, makeFolder, outcome, startShell } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';

function makeInstalled(): string {
  const folder = makeFolder();
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(BIN, join(folder, 'node_modules/.bin/webmail-diaglog'));
  return folder;
}

/** The size of a group for the longest observed target, and a little more. */
const GROUP_BYTES = 2000;

const OFFLINE = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };

describeWith(['npx'], 'a live run that npx has started', () => {
  test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('ends when npx is ended by %s, in whole groups', async (signal) => {
    const cwd = makeInstalled();
    const log = join(cwd, 'error.log');
    const script = 'exec npx webmail-diaglog synth --live --rate 50 --count forever -o error.log 2> messages';
    const npx = startShell(script, { cwd, env: OFFLINE });
    await until(() => sizeOf(log) > 0);
    npx.kill(signal);
    // npx ends before the run does, and the run writes its last message when it ends.
    await outcome(npx);
    const ending = (): RegExpExecArray | null =>
      /^webmail-diaglog: ended because npx has ended \((\d+) groups? written\)$/m.exec(
        readFileSync(join(cwd, 'messages'), 'utf8'),
      );
    await until(() => ending() !== null);
    const groups = Number(ending()?.[1]);
    expect(await checked(readFileSync(log, 'latin1'))).toEqual({ groups, violations: [] });
  });
});

test('a run that a script of npx has started may outlive npx', async () => {
  const cwd = makeFolder();
  const env = { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'make live' };
  const call = '"${program[@]}" synth --live --rate 200 --count forever -o error.log 2> messages > /dev/null & echo $!; wait';
  const shell = startShell(call, { cwd, env });
  const pid = Number(shell.stdout && String((await once(shell.stdout, 'data'))[0]));
  const written = (): number => sizeOf(join(cwd, 'error.log'));
  await until(() => written() > 0);
  shell.kill('SIGKILL');
  await outcome(shell);
  // That takes twice as long as the parent is looked for.
  const enough = written() + 2 * 200 * GROUP_BYTES;
  await until(() => written() > enough);
  process.kill(pid, 'SIGTERM');
  await until(() => readFileSync(join(cwd, 'messages'), 'utf8').includes('ended by SIGTERM'));
});
