/**
 * Measures how fast the log is written, beside `cat` and `cp` of the finished log and beside other programs: wall time, and
 * processor time (user and system) for each gigabyte of log. Builds its own inputs in a temporary folder, runs each contender in
 * turn, several rounds, and puts medians into bench/README.md. Needs bash; Linux only (/proc).
 *
 *     npm run bench                          a million rows, 5 rounds
 *     npm run bench -- --rows 100000 --rounds 3 --dry     prints only
 *     npm run bench -- --only serve          one of the tables: replay, reading, compare, receive, serve or sockets
 */
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureCompare } from './compare.js';
import { median } from './median.js';
import { measureReading } from './reading.js';
import { measureReceive } from './receive.js';
import { measureSockets } from './sockets.js';
import { measureServe } from './serve.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BIN = join(HERE, '../bin/webmail-diaglog.js');
const README = join(HERE, 'README.md');
const TARGETS = ['/mail/', '/poczta/', '/webmail/', '/webmail/index.php', '/poczta/?_task=login', '/webmail/?C=N%3BO%3DD'];
const PINO = 'pino, a group a call';
const PINO_SHARE = 50;
const SCALES = [10_000, 100_000, 1_000_000, 10_000_000];

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    dry: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'webmail-diaglog-bench-'));

/** Writes a request list of one row a second. */
async function writeList(name, count, formatRow) {
  const stream = createWriteStream(join(folder, name));
  stream.write('timestamp,request_target\n');
  for (let from = 0; from < count; from += 10_000) {
    const some = [];
    for (let row = from; row < Math.min(from + 10_000, count); row += 1) {
      some.push(formatRow(new Date(1_746_057_600_000 + row * 1000).toISOString().replace('.000', ''), row));
    }
    if (!stream.write(some.join(''))) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
}

/** Runs a shell command in the folder. @returns its stderr */
function run(command) {
  const { status, stderr } = spawnSync('bash', ['--norc', '-o', 'pipefail', '-c', command], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stderr;
}

/**
 * Runs a shell command in the folder: seconds of wall time until all is done, and of the command's own processor time.
 *
 * @param rest the rest of the shell line, such as the reader of a pipe; its processor time does not count
 */
function time(command, rest = '') {
  const start = performance.now();
  const said = run(`TIMEFORMAT='%U %S'; { time { ${command}; }; } ${rest}`);
  const seconds = (performance.now() - start) / 1000;
  const [user, system] = said.trim().split('\n').at(-1).split(' ').map(Number);
  return { seconds, user, system };
}

function has(program) {
  return spawnSync('bash', ['--norc', '-c', `command -v ${program}`]).status === 0;
}

/** Runs replay into /dev/null; its seconds and the most memory it held. */
async function measureScale(list) {
  const start = performance.now();
  const child = spawn(process.execPath, [BIN, 'replay', list], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  let peakKb = 0;
  const timer = setInterval(() => {
    try {
      peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? peakKb);
    } catch {
      // It has just ended.
    }
  }, 10);
  await new Promise((resolve) => child.on('close', resolve));
  clearInterval(timer);
  return { seconds: (performance.now() - start) / 1000, peakMb: peakKb / 1024 };
}

/** Prints a table, and puts it between its marks in bench/README.md. */
function publish(mark, lines) {
  const machine = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.version}: `;
  const table = (machine + lines.join('\n')).replace(/\| NaN \|/g, '| |');
  console.log(table);
  if (values.dry) return;
  const [before, after] = readFileSync(README, 'utf8').split(new RegExp(`<!-- ${mark} -->[^]*<!-- end of ${mark} -->`));
  writeFileSync(README, `${before}<!-- ${mark} -->\n\n${table}\n\n<!-- end of ${mark} -->${after}`);
}

/** Measures `replay`: the lines of its tables. */
async function measureReplay() {
  await writeList('plain.csv', rows, (time, row) => `${time},${TARGETS[row % 6]}\n`);
  await writeList('quoted.csv', rows, (time, row) => `"${time}","${TARGETS[row % 6]}"\n`);
  await writeList('different.csv', rows, (time, row) => `${time},/mail/?r=${row}\n`);
  const replay = `${process.execPath} ${BIN} replay`;
  run(`${replay} plain.csv > finished.log`);
  const megabytes = statSync(join(folder, 'finished.log')).size / 1e6;

  const pipes = new Map([
    ['`cat finished.log`', 'cat finished.log'],
    ['`replay`, plain rows', `${replay} plain.csv`],
    ['`replay`, all targets different', `${replay} different.csv`],
    ['`replay`, all cells quoted (fast-csv)', `${replay} quoted.csv`],
    ['`synth`', `${process.execPath} ${BIN} synth --count ${rows} --to 2025-05-30`],
    ['`parse finished.log`, of what it reads', `${process.execPath} ${BIN} parse finished.log`],
    ['`check finished.log`, of what it reads', `${process.execPath} ${BIN} check finished.log`],
    ['sonic-boom, a group a call', `${process.execPath} ${join(HERE, 'loggers.js')} sonic-boom ${rows}`],
    // Slow enough that a part of the rows tells: its time is multiplied by what was left out.
    [PINO, `${process.execPath} ${join(HERE, 'loggers.js')} pino ${rows / PINO_SHARE}`],
  ]);
  if (has('cc')) {
    run(`cc -O2 -o yardstick ${join(HERE, 'yardstick.c')} && ./yardstick ${rows} | cmp - finished.log`);
    pipes.set('plain C, `printf`', `./yardstick ${rows}`);
  }
  const files = new Map([
    ['`cp finished.log`', 'cp finished.log out.log'],
    ['`replay -o`', `${replay} plain.csv -o out.log`],
    ['`replay >>`', `${replay} plain.csv >> out.log`],
  ]);

  const rowsOf = (contenders, rest) => {
    const runs = new Map(Array.from(contenders.keys(), (name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      // In another order each time: what was just written to disk slows down what is written next.
      for (const [name, command] of [...contenders].sort(() => Math.random() - 0.5)) {
        rmSync(join(folder, 'out.log'), { force: true });
        const { seconds, user, system } = time(command, rest);
        const factor = name === PINO ? PINO_SHARE : 1;
        runs.get(name).push({ seconds: seconds * factor, user: user * factor, system: system * factor });
      }
    }
    const [reference] = runs.values();
    return Array.from(runs, ([name, some]) => {
      const seconds = median(some.map((measured) => measured.seconds));
      const ratio = median(some.map((measured, round) => reference[round].seconds / measured.seconds));
      const [user, system] = ['user', 'system'].map((kind) => median(some.map((measured) => measured[kind])));
      return { name, seconds, ratio, user, system };
    });
  };
  const formatRow = ({ name, seconds, ratio, user, system }) => {
    const speed = String(Math.round(megabytes / seconds));
    const perGigabyte = [user, system].map((spent) => ((spent / megabytes) * 1000).toFixed(2)).join(' | ');
    return `| ${name} | ${seconds.toFixed(2)} | ${speed} | ${ratio.toFixed(2)} | ${perGigabyte} |`;
  };
  const starts = rowsOf(
    new Map([
      ['`node -e 0`', `${process.execPath} -e 0`],
      ['`--version`', `${process.execPath} ${BIN} --version`],
    ]),
    '> /dev/null',
  );

  const lines = [
    `${rows} rows,`,
    `${Math.round(megabytes)} MB of log, medians of ${rounds} rounds. A ratio is that of the rates in one round: 1 is as fast as the first line.`,
    '',
    'Processor time is that of the contender alone, for each gigabyte of log (user in its own code, system in the kernel).',
    '',
    '| into a pipe (`\\| cat > /dev/null`) | s | MB/s | of `cat` | user, s a GB | system, s a GB |',
    '|---|---|---|---|---|---|',
    ...rowsOf(pipes, '| cat > /dev/null').map(formatRow),
    '',
    '| to a file | s | MB/s | of `cp` | user, s a GB | system, s a GB |',
    '|---|---|---|---|---|---|',
    ...rowsOf(files, '').map(formatRow),
    '',
    '| start | s | of `node -e 0` | user, s | system, s |',
    '|---|---|---|---|---|',
    ...starts.map(
      ({ name, seconds, ratio, user, system }) =>
        `| ${name} | ${[seconds, ratio, user, system].map((number) => number.toFixed(2)).join(' | ')} |`,
    ),
    '',
    '| rows (plain, to `/dev/null`) | s | µs a row, less the start | peak memory, MB |',
    '|---|---|---|---|',
  ];
  await writeList('scale.csv', 1, (time) => `${time},/mail/\n`);
  const emptyRuns = [];
  for (let round = 0; round < rounds; round += 1) emptyRuns.push((await measureScale('scale.csv')).seconds);
  const start = median(emptyRuns);
  for (const count of SCALES.filter((scale) => scale <= rows * 10)) {
    await writeList('scale.csv', count, (time, row) => `${time},${TARGETS[row % 6]}\n`);
    const runs = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await measureScale('scale.csv'));
    const seconds = median(runs.map((run) => run.seconds));
    const peakMb = Math.max(...runs.map((run) => run.peakMb));
    lines.push(`| ${count} | ${seconds.toFixed(2)} | ${(((seconds - start) / count) * 1e6).toFixed(2)} | ${peakMb.toFixed(0)} |`);
  }
  return lines;
}

try {
  const isWanted = (table) => values.only === undefined || values.only === table;
  if (isWanted('replay')) publish('results', await measureReplay());
  if (isWanted('reading')) {
    publish('reading', await measureReading(folder, { command: `${process.execPath} ${BIN}`, rows, rounds, run, time, has }));
  }
  if (isWanted('compare')) {
    const [synth, compare] = ['synth', 'compare --max 0'].map((call) => `${process.execPath} ${BIN} ${call}`);
    publish('compare', measureCompare(folder, { synth, compare, groups: Math.ceil(rows * 0.56), rounds }));
  }
  if (isWanted('serve')) {
    const table = await measureServe(folder, rounds);
    publish('serve', [`medians of ${rounds} rounds of 3 s each, \`wrk\` with one thread.`, '', ...table]);
  }
  if (isWanted('receive')) {
    const table = await measureReceive(folder, rounds);
    publish('receive', [`medians of ${rounds} rounds of 3 s each, \`wrk\` with one thread, 16 connections.`, '', ...table]);
  }
  if (isWanted('sockets')) {
    const groups = Math.ceil(rows / 5);
    const table = await measureSockets(folder, `${process.execPath} ${BIN}`, groups, rounds);
    publish('sockets', [`medians of ${rounds} rounds, ${groups * 8} messages.`, '', ...table]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
