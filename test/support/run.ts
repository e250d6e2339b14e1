import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import { PROJECT, requireBuild } from './built.js';

export { PROJECT };
export const BIN = join(PROJECT, 'bin/webmail-diaglog.js');

export interface RunResult {
  /** The exit code, or the signal that ended the run. */
  readonly exit: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/** The result of a call that is refused: nothing on stdout, and one line that says why. @param exit 1 if the data is at fault */
export function refused(message: string, exit: 1 | 2 = 2): RunResult {
  return { exit, stdout: '', stderr: `webmail-diaglog: ${message}\n` };
}

/** The arguments of a run, or its words: one that is empty or holds a blank stands in single quotes. */
export type Args = string | readonly string[];

export function argsOf(args: Args): readonly string[] {
  if (typeof args !== 'string') return args;
  return Array.from(args.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
}

export interface RunOptions {
  readonly stdin?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function run(args: Args, options: RunOptions = {}): Promise<RunResult> {
  return runNode([BIN, ...argsOf(args)], options);
}

export function runNode(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return finish(start(process.execPath, args, options), options);
}

export function runShell(script: string, options: RunOptions = {}): Promise<RunResult> {
  return finish(startShell(script, options), options);
}

/** Starts a shell script as `runShell` does; its stdin stays open. `exec "${program[@]}"` puts the command line in the shell's place. */
export function startShell(script: string, options: RunOptions = {}): ChildProcess {
  const program = `"${process.execPath}" "${BIN}"`;
  // The function names the program itself: a script that it is exported to (export -f) gets no arrays.
  const prelude = `program=(${program}); webmail-diaglog() { ${program} "$@"; }\n`;
  // Bash takes a stdin that is a socket, as Node makes it, for a remote login, and would read ~/.bashrc.
  return start('bash', ['--norc', '-c', prelude + script], options);
}

export function startRun(args: Args, options: RunOptions = {}): ChildProcess {
  return start(process.execPath, [BIN, ...argsOf(args)], options);
}

/** Node reads these certificates at each start, 30 ms of processor time; no run but that of npm opens a TLS connection. */
export const NO_CERTIFICATES = { NODE_EXTRA_CA_CERTS: undefined };

function start(program: string, args: readonly string[], { cwd, env }: RunOptions): ChildProcess {
  requireBuild();
  return spawn(program, args, { cwd: cwd ?? PROJECT, env: { ...process.env, ...NO_CERTIFICATES, ...env }, stdio: 'pipe' });
}

/** Gives a run its input, if there is one, and waits for its end. */
export function finish(child: ChildProcess, { stdin }: RunOptions = {}): Promise<RunResult> {
  // A run that ends before it has read its input is no fault of the test.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(Buffer.from(stdin ?? '', 'latin1'));
  return outcome(child);
}

export async function outcome(child: ChildProcess): Promise<RunResult> {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return chunks;
  });
  await once(child, 'close');
  const exit = child.exitCode ?? child.signalCode ?? 'SIGKILL';
  return { exit, stdout: Buffer.concat(stdout ?? []).toString('latin1'), stderr: Buffer.concat(stderr ?? []).toString('utf8') };
}

export function objectsOf(ndjson: string): readonly unknown[] {
  const lines = Buffer.from(ndjson, 'latin1').toString().trimEnd().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}

/** Gives a run the beginning of its input, and sends it a signal once it has written something. */
export async function endBy(signal: NodeJS.Signals, args: Args, stdin = ''): Promise<RunResult> {
  const child = startRun(args);
  child.stdin?.write(stdin, 'latin1');
  await once(child.stdout ?? child, 'readable');
  child.kill(signal);
  return outcome(child);
}

/** What a run has written to stdout from now on, a byte string. @returns a wait until it is of that length */
export function followOutput(child: ChildProcess): (length: number) => Promise<string> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  return async (length) => {
    while (text.length < length) await once(child.stdout ?? child, 'data');
    return text;
  };
}

const folders: string[] = [];

/** A new folder, removed after the test. @param files the files in it, by their names: bytes or byte strings */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'webmail-diaglog-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, 'latin1');
  return folder;
}

export function readBytes(...path: readonly string[]): string {
  return readFileSync(join(...path), 'latin1');
}

afterEach(() => {
  // A process that a run leaves behind may still write to its folder while that is removed.
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
