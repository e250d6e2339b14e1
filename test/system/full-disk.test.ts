import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Four requests; before the last one the disk is freed. */
const GET = `
import { rmSync } from 'node:fs';
for (const n of [1, 2, 3, 4]) {
  if (n === 4) rmSync('disk/rest');
  const { status } = await fetch(\`\${process.argv[2]}mail/?n=\${n}\`);
  process.stdout.write(\`\${status} \`);
}`;

describeWith([MOUNT], 'a disk that becomes full', () => {
  const TARGETS = ['-o disk/error.log', '>> disk/error.log'];

  test.each(TARGETS)('exit 2, one line says how many groups stand, and the log ends with them (%s)', async (to) => {
    const cwd = makeFolder();
    const script = onSmallDisk(`
      webmail-diaglog synth --count 2 ${to}
      webmail-diaglog synth --count 5000 --as requests > requests.csv
      webmail-diaglog replay --order keep ${to} requests.csv; echo $?`);
    const { stdout, stderr } = await runShell(script, { cwd });
    const { groups, violations } = await checked(readBytes(cwd, 'error.log'));
    // The two groups are later than the first of the list.
    expect({ stdout, violations }).toEqual({ stdout: '2\n', violations: ['17 backwards'] });
    expect(groups).toBeGreaterThan(500);
    const name = to.startsWith('-o') ? 'disk/error.log' : '<stdout>';
    const count = String(groups - 2);
    expect(stderr).toBe(
      `webmail-diaglog: ${name}: no space left on the device; free some space ` +
        `(${count} groups written, stopped after line ${String(groups - 1)})\n`,
    );
  });

  test.each(TARGETS)('under four appenders: all that stands is whole, and they say together how much it is (%s)', async (to) => {
    const cwd = makeFolder();
    const each = [1, 2, 3, 4].map((seed) => `webmail-diaglog synth --count 5000 --seed ${String(seed)} ${to} &`);
    const { stderr } = await runShell(onSmallDisk(`${each.join(' ')} wait`), { cwd });
    const { groups, violations } = await checked(readBytes(cwd, 'error.log'));
    expect(violations.filter((violation) => !violation.endsWith(' backwards'))).toEqual([]);
    const written = Array.from(stderr.matchAll(/no space left .* \((\d+) groups? written\)\n/g), ([, count]) => Number(count));
    expect(written).toHaveLength(4);
    expect(written.reduce((sum, count) => sum + count)).toBe(groups);
  });

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

  test('freed again, it takes the groups of serve', async () => {
    const cwd = makeFolder();
    // So much is taken that two groups fit, and not a third.
    const script = onSmallDisk(`
      head -c 1044480 /dev/zero > disk/rest
      # In the foreground, timeout passes SIGTERM on once, not to its process group too: a second one ends the run at once.
      timeout --foreground 20 "\${program[@]}" serve --port 0 -o disk/error.log 2> said & pid=$!
      while kill -0 $pid && ! grep -q listening said; do sleep 0.05; done
      "\${program[0]}" get.mjs "$(grep -o "http:[^ ]*" said)"
      kill $pid; wait; cat said >&2`);
    writeFileSync(join(cwd, 'get.mjs'), GET);
    const { stdout, stderr } = await runShell(script, { cwd });
    expect(stdout).toBe('200 200 503 200 ');
    expect(stderr).toMatch(
      /no space left on the device; until .*\n.* takes groups again; 1 request was .*\n.*\(3 groups written\)\n$/,
    );
    expect(await checked(readBytes(cwd, 'error.log'))).toEqual({ groups: 3, violations: [] });
  });
});
