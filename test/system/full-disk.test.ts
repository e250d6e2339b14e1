import { expect, test } from '@jest/globals';
import { checked } from '../support/checked.js';
import { describeWith, MOUNT } from '../support/programs.js';
import { makeFolder, readBytes, runShell } from '../support/run.js';

/** A disk of 1 MiB in the folder `disk`, which is there for the script alone; what the log on it then holds is copied beside it. */
function onSmallDisk(script: string): string {
  return `mkdir disk; unshare --mount --map-root-user bash -c "$(declare -p program); $(declare -f webmail-diaglog)"'
    mount -t tmpfs -o size=1m tmpfs disk
    ${script}
    cp disk/error.log .'`;
}

describeWith([MOUNT], 'a disk that becomes full', () => {
  test.each(['-o disk/error.log', '>> disk/error.log'])(
    'under four appenders: exit 2, all that stands is whole, and they say together how much it is (%s)',
    async (to) => {
      const cwd = makeFolder();
      const each = [1, 2, 3, 4].map((seed) => `(webmail-diaglog synth --count 5000 --seed ${String(seed)} ${to}; echo $? >&3) &`);
      const { stdout, stderr } = await runShell(onSmallDisk(`exec 3>&1; ${each.join(' ')} wait`), { cwd });
      expect(stdout).toBe('2\n'.repeat(4));
      const { groups, violations } = await checked(readBytes(cwd, 'error.log'));
      expect(violations.filter((violation) => !violation.endsWith(' backwards'))).toEqual([]);
      const written = Array.from(stderr.matchAll(/no space left .* \((\d+) groups? written\)\n/g), ([, count]) => Number(count));
      expect(written).toHaveLength(4);
      expect(written.reduce((sum, count) => sum + count)).toBe(groups);
    },
  );

  test.each([
    ['rename', 'disk/error.log: no space left'],
    // The copy of a file needs as much space again.
    ['copytruncate', 'disk/error.log.1: no space left'],
  ])('while a log is rotated by %s: exit 2, and the files together are the copy', async (how, message) => {
    const cwd = makeFolder();
    const { stdout, stderr } = await runShell(
      onSmallDisk(`
        webmail-diaglog synth --count 5000 -o disk/error.log --rotate 300kB --rotate-keep 99 --rotate-how ${how} --tee sent.log
        echo $?; cat $(ls -rv disk/error.log.*) disk/error.log | cmp - sent.log; ls disk | wc -l`),
      { cwd },
    );
    const sent = await checked(readBytes(cwd, 'sent.log'));
    expect(sent.violations).toEqual([]);
    expect(stdout).toMatch(how === 'rename' ? /^2\n4\n$/ : /^2\n3\n$/);
    expect(stderr).toBe(`webmail-diaglog: ${message} on the device; free some space (${String(sent.groups)} groups written)\n`);
  });

  test('of the copy: exit 2, and the log holds no more than the copy', async () => {
    const cwd = makeFolder();
    const { stdout, stderr } = await runShell(
      onSmallDisk(`
        webmail-diaglog synth --count 5000 -o error.log --tee disk/sent.log; echo $?
        cmp error.log disk/sent.log; touch disk/error.log`),
      { cwd },
    );
    expect(stdout).toBe('2\n');
    expect(stderr).toMatch(
      /^webmail-diaglog: disk\/sent\.log: no space left on the device; free some space \(\d{3} groups written\)\n$/,
    );
  });
});
