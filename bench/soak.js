/**
 * Writes an endless log for a while, at full speed into a pipe and then in real time. Measures the rate, the processor time
 * (which other processes disturb less than the rate) and the memory each second. All must stay the same from the first quarter to
 * the last.
 *
 *     npm run soak                               100 s each of replay and synth, 60 s in real time, a canary among them
 *     npm run soak -- --seconds 600 --paced 0    ten minutes each, nothing in real time
 *
 * Prints a table; exit code 1 if memory has grown by more than half from the second quarter to the last, since garbage makes
 * memory vary by a third. Linux only (/proc).
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './median.js';

const BIN = fileURLToPath(new URL('../bin/webmail-diaglog.js', import.meta.url));
const TARGETS = ['/mail/', '/poczta/', '/webmail/', '/webmail/index.php', '/poczta/?_task=login', '/webmail/?C=N%3BO%3DD'];
/** More rows than replay keeps in memory, so each pass reads the file again. */
const ROWS = 100_000;
const QUARTERS = 4;
const MAX_GROWTH = 1.5;
/** The unit of processor time in /proc on Linux. */
const MS_PER_TICK = 10;

/** A pipeline into standard input: what is written to app.log. It ends when its reader has ended. */
const FOLLOW = 'touch app.log; exec < <(tail --sleep-interval 0.05 -n +1 -F app.log 2> /dev/null)';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '100' }, paced: { type: 'string', default: '60' } },
});
const folder = mkdtempSync(join(tmpdir(), 'webmail-diaglog-soak-'));

/** Gives the output of a process so far in MB, its processor time in ms, and its memory in MB. */
function look(pid) {
  const written = Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]) / 1e6;
  const memory = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const [userTicks, systemTicks] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return { written, processorMs: (userTicks + systemTicks) * MS_PER_TICK, memory };
}

/** Runs a command into a pipe for some seconds: the rate, the processor time and the memory in each second. */
async function sample(args, seconds, prelude) {
  // `exec` gives the process the id of the shell.
  const script = `${prelude}\nexec "${process.execPath}" "${BIN}" ${args} > >(cat > /dev/null)`;
  const child = spawn('bash', ['-c', script], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const samples = [];
  // The start is not measured.
  await setTimeout(2000);
  let before = look(child.pid);
  let at = performance.now();
  while (samples.length < seconds && child.exitCode === null) {
    await setTimeout(1000);
    const now = performance.now();
    const seen = look(child.pid);
    const written = seen.written - before.written;
    const cost = (seen.processorMs - before.processorMs) / written;
    samples.push({ rate: (written / (now - at)) * 1000, cost, memory: seen.memory });
    before = seen;
    at = now;
  }
  child.kill('SIGTERM');
  // A canary ends by itself, and tells by its exit code whether everything arrived.
  if ((await ended) > 0) process.exitCode = 1;
  const [lastWord = ''] = said.trim().split('\n').slice(-1);
  return { samples, lastWord: lastWord.replace('webmail-diaglog: ', '') };
}

/** Formats the rows of the table: medians of each quarter. */
function formatQuarters({ samples, lastWord }, title) {
  const quarter = Math.floor(samples.length / QUARTERS);
  const rows = Array.from({ length: QUARTERS }, (_, index) => {
    const some = samples.slice(index * quarter, (index + 1) * quarter);
    const medianOf = (name) => median(some.map((second) => second[name]));
    return { rate: medianOf('rate'), cost: medianOf('cost'), memory: medianOf('memory') };
  });
  const cells = (name) => rows.map((row) => (row[name] < 10 ? row[name].toFixed(2) : row[name].toFixed(0))).join(' | ');
  const hasGrown = rows[QUARTERS - 1].memory > rows[1].memory * MAX_GROWTH;
  if (hasGrown) process.exitCode = 1;
  return [
    `| \`${title}\`, MB/s | ${cells('rate')} |`,
    `| processor time, ms a MB | ${cells('cost')} |`,
    `| memory, MB${hasGrown ? ' (it grows)' : ''} | ${cells('memory')} |`,
    `| ${lastWord} | | | | |`,
  ];
}

try {
  const rows = Array.from({ length: ROWS }, (_, row) => `${1_747_562_400 + row},${TARGETS[row % TARGETS.length]}\n`);
  writeFileSync(join(folder, 'list.csv'), rows.join(''));
  const fast = Number(values.seconds);
  const paced = Number(values.paced);
  const runs = [
    ['replay --loop forever list.csv', fast],
    ['synth --count forever --rate 50', fast],
    ['replay --loop forever --speed 1000 list.csv', paced],
    ['synth --from now --count forever --rate 200 --speed 1', paced],
    // 60 s at this rate are two days at one request a second.
    ['canary app.log - --rate 3000 --late 2s --rotate 100MB --rotate-keep 1', paced, FOLLOW],
  ];
  console.log('| | quarter 1 | 2 | 3 | 4 |\n|---|---|---|---|---|');
  for (const [args, seconds, prelude = ''] of runs) {
    if (seconds > 0) console.log(formatQuarters(await sample(args, seconds, prelude), args).join('\n'));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
