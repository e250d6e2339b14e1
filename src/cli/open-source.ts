import { CallError } from '../errors.js';
import { openInput, openStdin, type Input } from '../input/input.js';
import type { UsedFile } from '../output/log-file.js';

/** The name that stands for standard input. */
export const STDIN = '-';

/**
 * Opens the input of a command: a file, or standard input for `-` and where no file is given.
 *
 * @param command the name of the command, for the message
 * @param what the kind of input, for the message: `request list`
 * @throws CallError if the file cannot be opened, and if no file is given and stdin is a terminal
 */
export async function openSource(file: string | undefined, command: string, what: string, signal: AbortSignal): Promise<Input> {
  if (file === undefined && process.stdin.isTTY) {
    const remedy = `name a file or pipe one in, see webmail-diaglog ${command} --help`;
    throw new CallError({ source: command }, `no ${what} is given`, remedy);
  }
  if (file === undefined || file === STDIN) return openStdin(() => process.stdin, signal);
  return openInput(file, signal);
}

/** Names an input as the file that a run reads. */
export function inputFile({ stats }: Input): UsedFile {
  return { stats, role: 'input' };
}
