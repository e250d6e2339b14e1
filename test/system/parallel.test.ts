import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { BIN, makeFolder, PROJECT, runShell } from '../support/run.js';

/** A PATH on which `webmail-diaglog` is a program, as where it is installed: GNU parallel runs its jobs in $SHELL, which knows no functions of bash. */
function pathWithProgram(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = join(bin, 'webmail-diaglog');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(program, 0o755);
  return `${bin}:${process.env['PATH'] ?? ''}`;
}

describeWith(['parallel'], 'examples/gnu-parallel', () => {
  test.each(['/bin/sh', '/bin/bash', ''])('its script gives the bytes that one process gives, with SHELL=%s', async (SHELL) => {
    const script = join(PROJECT, 'examples/gnu-parallel/synth-parallel');
    const cwd = makeFolder();
    writeFileSync(join(cwd, "it's a list.csv"), '/mail/,2\n/poczta/,1\n');
    const { exit, stdout, stderr } = await runShell(
      `set -- --seed 9 --count 5000 --targets "it's a list.csv"
       SHARDS=5 "${script}" "$@" > sharded.log && webmail-diaglog synth "$@" | cmp - sharded.log && wc -l < sharded.log`,
      { cwd, env: { SHELL, PATH: pathWithProgram(cwd) } },
    );
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '40000\n', stderr: '' });
    expect(readFileSync(script, 'utf8')).toContain('--keep-order');
  });

  test.each([
    ['-o x', 'synth-parallel: -o would mix the slices; redirect stdout'],
    ['--from now', 'synth-parallel: each slice would have a "now" of its own; give a time'],
    ['--shard 1/2', 'synth-parallel: --shard is what this script gives; set SHARDS'],
  ])('it refuses %s', async (options, message) => {
    const script = join(PROJECT, 'examples/gnu-parallel/synth-parallel');
    expect(await runShell(`"${script}" ${options}`)).toEqual({ exit: 2, stdout: '', stderr: `${message}\n` });
  });
});
