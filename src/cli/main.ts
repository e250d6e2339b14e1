import { Command } from 'commander';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import { endWith } from './exit.js';
import { watchStderr } from './messages.js';
import { outliveHangup } from './signals.js';
import { readVersion } from './version.js';

const EXAMPLES = `
Examples:
  webmail-diaglog replay requests.csv >> error.log
  webmail-diaglog synth --seed 7 --count 100000 --profile office > error.log
  webmail-diaglog parse error.log > requests.csv
  webmail-diaglog check error.log
  webmail-diaglog stats error.log
  webmail-diaglog serve -o error.log
  webmail-diaglog replay --help`;

/** What defines each command, in the order of the help; loaded when it is needed, because modules cost time at the start. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  replay: async () => (await import('./replay/command.js')).addReplayCommand,
  synth: async () => (await import('./synth/command.js')).addSynthCommand,
  parse: async () => (await import('./parse/command.js')).addParseCommand,
  check: async () => (await import('./check/command.js')).addCheckCommand,
  stats: async () => (await import('./stats/command.js')).addStatsCommand,
  serve: async () => (await import('./serve/command.js')).addServeCommand,
};

/** Runs the command line, and leaves the exit code in `process.exitCode`. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  watchStderr();
  outliveHangup();
  // What stdout does not take is said by who writes to it.
  process.stdout.on('error', () => undefined);
  const program = await createProgram(argv[2]);
  try {
    refuseUndecoded(argv);
    await program.parseAsync(argv);
  } catch (error) {
    const command = program.commands.find((one) => one.name() === argv[2]);
    endWith(error, command === undefined ? 'webmail-diaglog --help' : `webmail-diaglog ${command.name()} --help`);
  }
}

/** Node gives arguments as text: what is no UTF-8 comes as U+FFFD, and would name another file than was meant. */
function refuseUndecoded(argv: readonly string[]): void {
  const source = argv.find((argument) => argument.includes('\ufffd'));
  if (source === undefined) return;
  throw new CallError({ source }, 'the argument is no UTF-8', 'name it in UTF-8, or pipe in what it names');
}

/** @param first the first argument: where it names a command, help and suggestions are not asked for the others */
async function createProgram(first = ''): Promise<Command> {
  const program = new Command('webmail-diaglog')
    .description('Writes the diagnostic log of a webmail (Roundcube under PHP), byte for byte as specified, and reads it.')
    .version(readVersion(), '--version')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    // Errors are reported in one place, as every other message.
    .configureOutput({ outputError: () => undefined, writeOut: print });
  const needed = first === '--version' ? [] : Object.hasOwn(COMMANDS, first) ? [first] : Object.keys(COMMANDS);
  for (const name of needed) {
    const addCommand = await COMMANDS[name]?.();
    addCommand?.(program);
  }
  // Else help shows them in quotes.
  for (const option of program.commands.flatMap(({ options }) => options))
    option.defaultValueDescription = String(option.defaultValue);
  return program;
}

/** Writes help or version to stdout. What fails is said once; commander writes in pieces. */
function print(text: string): void {
  process.stdout.write(text, (error) => {
    const isFirst = process.exitCode === undefined;
    if (error && isFirst && systemErrorCode(error) !== 'EPIPE') endWith(explainSystemError(error, '<stdout>'), '');
  });
}
