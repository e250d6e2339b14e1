import { CallError } from '../errors.js';
import { endWith } from './exit.js';
import { watchStderr } from './messages.js';
import { COMMAND_NAMES, createProgram, isCommand } from './program.js';
import { outliveHangup } from './signals.js';

/** Runs the command line, and leaves the exit code in `process.exitCode`. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  watchStderr();
  outliveHangup();
  // Whoever writes to stdout reports what it does not take.
  process.stdout.on('error', () => undefined);
  const args = resolveHelp(argv.slice(2));
  const [first = ''] = args;
  const program = await createProgram(first === '--version' ? [] : isCommand(first) ? [first] : COMMAND_NAMES);
  try {
    refuseUndecoded(argv);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    endWith(error, isCommand(first) ? `webmail-diaglog ${first} --help` : 'webmail-diaglog --help');
  }
}

/**
 * Turns `help synth` into `synth --help`, and what names no command into that name alone, so that it is an error: for `help synht` and
 * `synht --help` commander would show the help of the program.
 */
function resolveHelp(args: readonly string[]): readonly string[] {
  const [first = '', second = ''] = args;
  const name = first === 'help' ? second : first;
  if (name === 'help') return ['help'];
  if (name === '' || name.startsWith('-')) return args;
  if (!isCommand(name)) return [name];
  return first === 'help' ? [name, '--help'] : args;
}

/** Refuses what Node has decoded to U+FFFD: an argument that is not UTF-8 would name another file than was meant. */
function refuseUndecoded(argv: readonly string[]): void {
  const source = argv.find((argument) => argument.includes('\ufffd'));
  if (source === undefined) return;
  throw new CallError({ source }, 'the argument is no UTF-8', 'name it in UTF-8, or pipe in what it names');
}
