import { Option } from 'commander';
import { CallError } from '../../errors.js';

/** The name that stands for standard output. */
export const STDOUT = '-';

export const OUTPUT_OPTION = new Option('-o, --output <file>', 'append to a file instead of writing to stdout');

/** Reads `--output`: the file to append to, or `STDOUT` if none is given. @throws CallError */
export function resolveOutputFile(output: string | undefined): string {
  // A shell variable that is not set leaves the name empty.
  if (output === '') throw new CallError({ source: '--output' }, 'it is empty', 'name a file, or leave it out');
  return output ?? STDOUT;
}
