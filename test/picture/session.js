// Runs the commands of the picture in README.md, and prints the picture: npm run picture writes it to docs/session.svg.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COLUMNS, drawTerminal } from './draw-terminal.js';

const BIN = fileURLToPath(new URL('../../bin/webmail-diaglog.js', import.meta.url));

const COMMANDS = [
  // A pipeline that loses the third record, and changes the twelfth.
  "timeout 9 tail -n +1 -F app.log 2> tail.txt | sed -u '3d; 12s/193/194/' > got.log &",
  'webmail-diaglog canary app.log got.log --rate 20 --duration 2s --late 4s --run demo',
  'webmail-diaglog synth --count 5000 --profile office > sent.log',
  'webmail-diaglog synth --count 5000 --profile office --faults missing:0.0004,altered:0.0004 > received.log',
  'webmail-diaglog check received.log',
  'webmail-diaglog compare sent.log received.log | tail -n 1',
];

const TITLE = 'A terminal session: a canary finds what a pipeline loses and changes; a log is broken, checked and compared';

/** Of a longer line, the terminal shows the beginning. */
const cut = (line) => (line.length <= COLUMNS ? line : `${line.slice(0, COLUMNS - 1)}…`);

/** Runs a command in a shell. Returns what it prints, its messages first. @throws Error if it could not be run */
function run(command, cwd) {
  const prelude = `webmail-diaglog() { "${process.execPath}" "${BIN}" "$@"; }\n`;
  // What goes on in the background would hold the pipes of its output open.
  const stdio = command.endsWith('&') ? 'ignore' : 'pipe';
  const args = ['--norc', '-c', prelude + command];
  const { error, signal, stdout, stderr } = spawnSync('bash', args, { cwd, encoding: 'utf8', stdio });
  if (error !== undefined || signal !== null) throw new Error(`${command}: ${error?.message ?? signal}`);
  return { command, messages: linesOf(stderr).map(cut), output: linesOf(stdout).map(cut) };
}

function linesOf(text) {
  return text === '' || text === null ? [] : text.replace(/\n$/, '').split('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'webmail-diaglog-'));
try {
  const steps = COMMANDS.map((command) => run(command, folder));
  process.stdout.write(drawTerminal(steps, TITLE));
} finally {
  rmSync(folder, { recursive: true });
}
