import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { afterEach } from '@jest/globals';
import { run } from '../support/run.js';

/** The programs that have been started and have not ended, with the folder of each. */
const running = new Map<ChildProcess, string>();

/** Starts a program in a folder. It has ended when the test has ended, however that ends. */
export function startProgram(
  [program = '', ...args]: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] });
  running.set(child, folder);
  child.on('exit', () => running.delete(child));
  return child;
}

const PATIENCE_MS = 10_000;

/** Ends a program by a signal, and waits for its end. fail2ban may hang in its own: it is killed then. */
export async function endProgram(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!running.has(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const impatient = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await ended;
  clearTimeout(impatient);
}

// A test that ran out of time has ended nothing. Its programs may have written after its folder was removed.
afterEach(async () => {
  for (const [child, folder] of running) {
    await endProgram(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Resolves once something listens on a port. */
export async function listening(port: number): Promise<void> {
  while ((await run(['synth', '--count', '0', '-o', `tcp://127.0.0.1:${String(port)}`])).exit !== 0);
}

/** True once something listens on a UDP port, of which only the kernel knows. */
export function isBound(port: number): boolean {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  return ['/proc/net/udp', '/proc/net/udp6'].some((table) => readFileSync(table, 'latin1').includes(ending));
}
