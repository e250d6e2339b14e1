import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { explainSystemError, systemErrorCode } from '../errors.js';
import { addCheckCommand } from './check.js';
import { endWith } from './exit.js';
import { watchStderr } from './messages.js';
import { addParseCommand } from './parse.js';
import { addReplayCommand } from './replay.js';
import { addSynthCommand } from './synth.js';
import { addServeCommand } from './serve.js';
import { addStatsCommand } from './stats.js';

const EXAMPLES = `
Examples:
  webmail-diaglog replay requests.csv >> error.log
  webmail-diaglog synth --seed 7 --count 100000 --profile office > error.log
  webmail-diaglog parse error.log > requests.csv
  webmail-diaglog check error.log
  webmail-diaglog stats error.log
  webmail-diaglog serve -o error.log
  webmail-diaglog replay --help`;

/** Runs the command line, and leaves the exit code in `process.exitCode`. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  watchStderr();
  // What stdout does not take is said by who writes to it.
  process.stdout.on('error', () => undefined);
  const program = createProgram();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    const command = program.commands.find((one) => one.name() === argv[2]);
    endWith(error, command === undefined ? 'webmail-diaglog --help' : `webmail-diaglog ${command.name()} --help`);
  }
}

function createProgram(): Command {
  const program = new Command('webmail-diaglog')
    .description('Writes the diagnostic log of a webmail (Roundcube under PHP), byte for byte as specified, and reads it.')
    .version(readVersion(), '--version')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    // Errors are reported in one place, as every other message.
    .configureOutput({ outputError: () => undefined, writeOut: print });
  addReplayCommand(program);
  addSynthCommand(program);
  addParseCommand(program);
  addCheckCommand(program);
  addStatsCommand(program);
  addServeCommand(program);
  // Else help shows them in quotes.
  for (const option of program.commands.flatMap(({ options }) => options))
    option.defaultValueDescription = String(option.defaultValue);
  return program;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

/** Writes help or version to stdout. What fails is said once; commander writes in pieces. */
function print(text: string): void {
  process.stdout.write(text, (error) => {
    const isFirst = process.exitCode === undefined;
    if (error && isFirst && systemErrorCode(error) !== 'EPIPE') endWith(explainSystemError(error, '<stdout>'), '');
  });
}
