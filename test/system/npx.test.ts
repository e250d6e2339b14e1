import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checked } from '../support/checked.js';
import { describeWith } from '../support/programs.js';
import { BIN, makeFolder, outcome, startShell } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';

/** A folder in which the package is installed. */
function makeInstalled(): string {
  const folder = makeFolder();
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(BIN, join(folder, 'node_modules/.bin/webmail-diaglog'));
  return folder;
}

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
