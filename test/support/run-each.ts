import { call } from './call.js';
import type { RunResult } from './run.js';

/** Makes a call (`call`) of each list of arguments, one after the other. */
export function runEach(
  calls: readonly (readonly string[])[],
  options: { readonly cwd?: string } = {},
): Promise<readonly RunResult[]> {
  return Promise.all(calls.map((args) => call(args, options)));
}
