import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { makeFolder, PROJECT, runShell } from '../support/run.js';

describeWith(['parallel'], 'examples/gnu-parallel', () => {
  test('its script gives the bytes that one process gives', async () => {
    const script = join(PROJECT, 'examples/gnu-parallel/synth-parallel');
    const { exit, stdout, stderr } = await runShell(
      `export -f webmail-diaglog; SHARDS=5 "${script}" --seed 9 --count 5000 > sharded.log &&
       webmail-diaglog synth --seed 9 --count 5000 | cmp - sharded.log && wc -l < sharded.log`,
      { cwd: makeFolder() },
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
