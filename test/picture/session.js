// Runs the commands of the picture in README.md, and prints the picture: npm run picture writes it to docs/session.svg.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COLUMNS, drawTerminal } from './draw-terminal.js';

const BIN = fileURLToPath(new URL('../../bin/webmail-diaglog.js', import.meta.url));

const COMMANDS = [
  'webmail-diaglog synth --count 5000 --profile office > sent.log',
  `head -n 8 sent.log | cut -c 1-${String(COLUMNS)}`,
  'webmail-diaglog synth --count 5000 --profile office --faults missing:0.0004,altered:0.0004 > received.log',
  'webmail-diaglog check received.log',
  'webmail-diaglog compare sent.log received.log | tail -n 1',
  'webmail-diaglog stats received.log | tail -n 10',
];

const TITLE = 'A terminal session: a log is made up, broken, checked, compared and summed up';

/** Runs a command in a shell. Returns what it prints, its messages first. @throws Error if it could not be run */
function run(command, cwd) {
  const prelude = `webmail-diaglog() { "${process.execPath}" "${BIN}" "$@"; }\n`;
  const { error, signal, stdout, stderr } = spawnSync('bash', ['--norc', '-c', prelude + command], { cwd, encoding: 'utf8' });
  if (error !== undefined || signal !== null) throw new Error(`${command}: ${error?.message ?? signal}`);
  return { command, messages: linesOf(stderr), output: linesOf(stdout) };
}

function linesOf(text) {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'webmail-diaglog-'));
try {
  const steps = COMMANDS.map((command) => run(command, folder));
  process.stdout.write(drawTerminal(steps, TITLE));
} finally {
  rmSync(folder, { recursive: true });
}
