import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { endWith } from './exit.js';
import { addReplayCommand } from './replay.js';

const EXAMPLES = `
Examples:
  webmail-diaglog replay requests.csv >> error.log
  webmail-diaglog replay --help`;

/** Runs the command line, and leaves the exit code in `process.exitCode`. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  // Who reads stdout or stderr may go away: that ends the output, and is no error (what is lost is said by the writer of the log).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreReaderGone);
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    endWith(error);
  }
}

function createProgram(): Command {
  const program = new Command('webmail-diaglog')
    .description('Writes the diagnostic log of a webmail (Roundcube under PHP), byte for byte as specified.')
    .version(readVersion(), '--version')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    // Errors are reported in one place, as every other message.
    .configureOutput({ outputError: () => undefined });
  addReplayCommand(program);
  return program;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

function ignoreReaderGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
