import { expect } from '@jest/globals';
import { call } from './call.js';
import type { RunResult } from './run.js';

interface Options {
  readonly cwd?: string;
}

/** Makes a call (`call`) of each list of arguments, one after the other. */
export function runEach(calls: readonly (readonly string[])[], options: Options = {}): Promise<readonly RunResult[]> {
  return Promise.all(calls.map((args) => call(args, options)));
}

/**
 * Makes calls of a command that are refused: exit 2, nothing on stdout, and one line that says why.
 *
 * @param messages what the line says of each call, or what is found in it; an argument that is empty or holds a blank stands in single quotes
 */
export async function expectRefused(
  { command, cwd }: Options & { readonly command: string },
  messages: Readonly<Record<string, string | RegExp>>,
): Promise<void> {
  const calls = Object.keys(messages);
  const argsOf = (words: string): string[] => words.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'(.*)'$/s, '$1')) ?? [];
  const results = await runEach(
    calls.map((words) => argsOf(`${command} ${words}`)),
    cwd === undefined ? {} : { cwd },
  );
  const lineOf = (message: string | RegExp): unknown =>
    typeof message === 'string'
      ? `webmail-diaglog: ${message}\n`
      : expect.stringMatching(`^webmail-diaglog: .*${message.source}.*\n$`);
  const expected = Object.entries(messages).map(([words, message]) => ({ words, exit: 2, stdout: '', stderr: lineOf(message) }));
  expect(results.map((result, index) => ({ words: calls[index], ...result }))).toEqual(expected);
}
