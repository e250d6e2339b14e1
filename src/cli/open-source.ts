import { CallError } from '../errors.js';
import { openInput, openStdin, type Input } from '../input/input.js';

/**
 * Opens what a command reads: a file, or standard input for `-` and where no file is given.
 *
 * @param what what the command reads, for the message (`request list`)
 * @throws CallError if it cannot be opened, and if nothing is given and stdin is a terminal
 */
export async function openSource(file: string | undefined, command: string, what: string, signal: AbortSignal): Promise<Input> {
  if (file === undefined && process.stdin.isTTY) {
    const remedy = `name a file or pipe one in, see webmail-diaglog ${command} --help`;
    throw new CallError({ source: command }, `no ${what} is given`, remedy);
  }
  if (file === undefined || file === '-') return openStdin(() => process.stdin, signal);
  return openInput(file, signal);
}
