import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BIN, PROJECT, runNode, type RunResult } from './run.js';

const MAIN = pathToFileURL(join(PROJECT, 'dist/cli/main.cjs')).href;

/** Reads calls from stdin; writes NUL to stdout, and the exit code and NUL to stderr, after each of them. */
const CALLER = `
import { readFileSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { main } from ${JSON.stringify(MAIN)};

// Each call adds listeners, which the end of its process would remove.
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
for (const args of JSON.parse(readFileSync(0, 'utf8'))) {
  process.exitCode = undefined;
  await main([process.execPath, ${JSON.stringify(BIN)}, ...args]);
  await setImmediate();
  writeSync(1, '\\0');
  writeSync(2, String(process.exitCode ?? 0) + '\\0');
}
process.exitCode = 0;
`;

/**
 * Runs the command line as built in dist/ once for each list of arguments, all in one process. For calls that end before they read
 * standard input, which is empty: refused calls and help. A process for each would take most of the time of a test.
 *
 * @throws Error if the process ends before the last call has
 */
export async function runEach(
  calls: readonly (readonly string[])[],
  options: { readonly cwd?: string } = {},
): Promise<readonly RunResult[]> {
  const { exit, stdout, stderr } = await runNode(['--input-type=module', '-e', CALLER], {
    ...options,
    stdin: Buffer.from(JSON.stringify(calls)).toString('latin1'),
  });
  const printed = stdout.split('\0');
  const messages = stderr.split('\0');
  if (exit !== 0 || printed.length !== calls.length + 1 || messages.length !== calls.length + 1)
    throw new Error(`ended with ${String(exit)} after ${String(printed.length - 1)} calls: ${stderr}`);
  return calls.map((_args, index) => {
    const [, message = '', code = ''] = /^([^]*?)(\d)$/.exec(messages[index] ?? '') ?? [];
    return { exit: Number(code), stdout: printed[index] ?? '', stderr: message };
  });
}
