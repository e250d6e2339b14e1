import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from '@jest/globals';
import { requireBuild } from './built.js';
import { argsOf, makeFolder, NO_CERTIFICATES, PROJECT, type Args, type RunOptions, type RunResult } from './run.js';

/** A process that has loaded the command line, and runs one call after the other. */
type Caller = ReturnType<typeof startCaller>;

let caller: Caller | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line as built in dist/, in one process for all calls of a test file: the start of a process would take most of the
 * time. Standard input is a regular file. For calls that end by themselves and need no process of their own; calls that are made at
 * the same time run one after the other.
 * @throws Error if the process ends before the call has
 */
export function call(args: Args, options: RunOptions = {}): Promise<RunResult> {
  const result = last.then(() => answer((caller ??= startCaller()), argsOf(args), options));
  last = result.catch(() => undefined);
  return result;
}

export function callEach(calls: readonly Args[], options: RunOptions = {}): Promise<readonly RunResult[]> {
  return Promise.all(calls.map((args) => call(args, options)));
}

/**
 * Makes calls of a command that are refused: exit 2, nothing on stdout, and one line that says why.
 * @param messages what the line says of each call, by its words, or what is found in it
 */
export async function expectRefused(
  command: string,
  cwd: string,
  messages: Readonly<Record<string, string | RegExp>>,
): Promise<void> {
  const lineOf = (message: string | RegExp): unknown =>
    typeof message === 'string'
      ? `webmail-diaglog: ${message}\n`
      : expect.stringMatching(`^webmail-diaglog: .*${message.source}.*\n$`);
  const calls = Object.keys(messages);
  const results = await callEach(
    calls.map((words) => `${command} ${words}`),
    { cwd },
  );
  const expected = Object.entries(messages).map(([words, message]) => ({ words, exit: 2, stdout: '', stderr: lineOf(message) }));
  expect(results.map((result, index) => ({ words: calls[index], ...result }))).toEqual(expected);
}

function startCaller() {
  requireBuild();
  const child = fork(fileURLToPath(new URL('answer-calls.js', import.meta.url)), {
    env: { ...process.env, ...NO_CERTIFICATES },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the process has no pipes');
  const end = once(child, 'exit').then(([code]: unknown[]): never => {
    throw new Error(`the process of the calls ended with ${String(code)}`);
  });
  end.catch(() => undefined);
  return { child, stdout, stderr, end };
}

async function answer(
  { child, stdout, stderr, end }: Caller,
  args: readonly string[],
  { stdin = '', cwd = PROJECT }: RunOptions,
): Promise<RunResult> {
  const input = join(makeFolder({ stdin }), 'stdin');
  const exitCode = once(child, 'message').then(([exit]: unknown[]) => Number(exit));
  const outputs = Promise.all([exitCode, readToNul(stdout), readToNul(stderr)]);
  child.send({ args, cwd, input });
  const [exit, printed, messages] = await Promise.race([outputs, end]);
  return { exit, stdout: printed.toString('latin1'), stderr: messages.toString('utf8') };
}

/** Reads what comes before a NUL, which comes last. */
function readToNul(stream: Readable): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      if (chunk.at(-1) !== 0) return;
      stream.off('data', take);
      resolve(Buffer.concat(chunks).subarray(0, -1));
    };
    stream.on('data', take);
  });
}

afterAll(async () => {
  if (caller?.child.exitCode === null && caller.child.kill('SIGKILL')) await once(caller.child, 'exit');
});
