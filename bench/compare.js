/** Measures `compare` beside `cmp` and `jq`, and what it takes where hardly anything came as it was sent. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './median.js';

/** The inputs, made of `sent.log`. */
const INPUTS = [
  'cp sent.log equal.log',
  `sed -E 's/.*/{"message":"&","host":"web-1"}/' sent.log > equal.ndjson`,
  'tail -n +500001 sent.log > shifted.log; head -n 500000 sent.log >> shifted.log',
  'sed s/193/194/ sent.log > altered.log',
  'tr a-z b-za < sent.log > unlike.log',
  ': > nothing.log',
];

/** Runs a command in a folder: seconds of wall time and the peak of its memory in MB, by GNU time. */
function measure(folder, command) {
  const { stderr } = spawnSync('bash', ['-c', `/usr/bin/time -f '%e %M' bash -c "exec ${command}"`], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [seconds, kilobytes] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { seconds, peakMb: kilobytes / 1024 };
}

/**
 * Measures `compare`.
 *
 * @param synth the command that writes a log, and `compare` the command that compares
 * @returns the lines of its table
 */
export function measureCompare(folder, { synth, compare, groups, rounds }) {
  for (const command of [`${synth} --mark r --count ${groups} > sent.log`, ...INPUTS]) {
    spawnSync('bash', ['--norc', '-c', command], { cwd: folder });
  }
  const megabytes = statSync(join(folder, 'sent.log')).size / 1e6;
  const rows = [
    ['`cmp`, equal logs', 'cmp sent.log equal.log', '`cmp`'],
    ['`compare`, equal logs', `${compare} sent.log equal.log`, '`cmp`'],
    ['`jq -r .message`', 'jq -r .message equal.ndjson', '`jq`'],
    ['`compare --field message`', `${compare} --field message sent.log equal.ndjson`, '`jq`'],
    ['the first 500,000 records last', `${compare} sent.log shifted.log`],
    ['nothing received', `${compare} sent.log nothing.log`],
    ['nothing sent', `${compare} nothing.log sent.log`],
    ['seven of eight records altered', `${compare} sent.log altered.log`],
    ['nothing in common', `${compare} sent.log unlike.log`],
  ];
  const runs = rows.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [row, [, command]] of rows.entries()) runs[row].push(measure(folder, command));
  }
  const formatRow = ([name, , yardstick], row) => {
    const seconds = median(runs[row].map((run) => run.seconds));
    const reference = rows.findIndex(([, , other]) => other === yardstick);
    const ratios = runs[row].map((run, round) => runs[reference][round].seconds / run.seconds);
    const ratio = yardstick === undefined ? '' : `${median(ratios).toFixed(2)} of ${yardstick}`;
    const peakMb = Math.max(...runs[row].map((run) => run.peakMb));
    return `| ${name} | ${seconds.toFixed(2)} | ${Math.round(megabytes / seconds)} | ${ratio} | ${peakMb.toFixed(0)} |`;
  };
  return [
    `${Math.round(megabytes)} MB sent, medians of ${rounds} rounds.`,
    '',
    '| `compare` | s | MB/s sent | rate | peak memory, MB |',
    '|---|---|---|---|---|',
    ...rows.map(formatRow),
  ];
}
