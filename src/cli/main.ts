import type { Command } from 'commander';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import { VERSION } from '../version.js';
import { endWith } from './exit.js';
import { writeStderr } from './messages.js';
import type { CommandDefinition } from './options/option.js';
import { keepHandlersToTheEnd } from './signals.js';

/** A `RunOf` of any definition: as a method, it takes what its own definition has parsed. */
interface Runs {
  RUN(args: object, options: object, all: () => Promise<readonly CommandDefinition[]>): Promise<void>;
}

/** Modules cost time at the start: only what is needed is loaded. */
type Loaders = readonly [definition: () => Promise<{ COMMAND: CommandDefinition }>, run: () => Promise<Runs>];

const COMMANDS: Readonly<Record<string, Loaders>> = {
  replay: [() => import('./replay/command.js'), () => import('./replay/run.js')],
  synth: [() => import('./synth/command.js'), () => import('./synth/run.js')],
  parse: [() => import('./parse/command.js'), () => import('./parse/run.js')],
  check: [() => import('./check/command.js'), () => import('./check/run.js')],
  stats: [() => import('./stats/command.js'), () => import('./stats/run.js')],
  compare: [() => import('./compare/command.js'), () => import('./compare/run.js')],
  canary: [() => import('./canary/command.js'), () => import('./canary/run.js')],
  receive: [() => import('./receive/command.js'), () => import('./receive/run.js')],
  serve: [() => import('./serve/command.js'), () => import('./serve/run.js')],
  completion: [() => import('./completion/command.js'), () => import('./completion/run.js')],
};

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** Runs the command line, and leaves the exit code in `process.exitCode`. */
export async function main(argv: readonly string[] = process.argv): Promise<void> {
  // Whoever writes to stdout reports what it does not take.
  process.stdout.on('error', () => undefined);
  const args = resolveHelp(argv.slice(2));
  const [first = ''] = args;
  // Not by commander, which would take most of the time.
  if (['-V', '--version'].includes(first) && args.length === 1) {
    print(`${VERSION}\n`);
    return;
  }
  const called = isCommand(first) ? [first] : [];
  const program = await createProgram(called.length === 0 ? COMMAND_NAMES : called);
  try {
    refuseUndecoded(argv);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    endWith(error, ['webmail-diaglog', ...called, '--help'].join(' '));
  }
  keepHandlersToTheEnd();
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
  throw new CallError({ source }, 'the argument is not UTF-8', 'name it in UTF-8, or pipe in what it names');
}

function isCommand(name: string): boolean {
  return Object.hasOwn(COMMANDS, name);
}

export async function loadCommands(names: readonly string[] = COMMAND_NAMES): Promise<readonly CommandDefinition[]> {
  const definitions: CommandDefinition[] = [];
  for (const [name, [load]] of Object.entries(COMMANDS)) if (names.includes(name)) definitions.push((await load()).COMMAND);
  return definitions;
}

export async function createProgram(names: readonly string[]): Promise<Command> {
  const { buildProgram } = await import('./program.js');
  const output = { outputError: () => undefined, writeOut: print, writeErr: writeStderr };
  return buildProgram(await loadCommands(names), output, async (name, args, options) => {
    const loaded = await COMMANDS[name]?.[1]();
    await loaded?.RUN(args, options, loadCommands);
  });
}

/** Writes help or version to stdout. commander writes in pieces: the first failure is reported, and no other. */
function print(text: string): void {
  process.stdout.write(text, (error) => {
    const isFirst = process.exitCode === undefined;
    if (error && isFirst && systemErrorCode(error) !== 'EPIPE') endWith(explainSystemError(error, '<stdout>'), '');
  });
}
