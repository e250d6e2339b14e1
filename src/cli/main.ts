import type { Command } from 'commander';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import { VERSION } from '../export/version.js';
import { endWith } from './exit.js';
import { writeStderr } from './messages.js';
import type { CommandDefinition, Run } from './options/option.js';
import { keepHandlersToTheEnd } from './signals.js';

/** Loads the definition and the run of each command, in the order of the help. Modules cost time at the start: only what is needed is loaded. */
const COMMANDS: Readonly<Record<string, readonly [definition: () => Promise<CommandDefinition>, run: () => Promise<Run>]>> = {
  replay: [async () => (await import('./replay/command.js')).REPLAY, async () => (await import('./replay/run.js')).runReplay],
  synth: [async () => (await import('./synth/command.js')).SYNTH, async () => (await import('./synth/run.js')).runSynth],
  parse: [async () => (await import('./parse/command.js')).PARSE, async () => (await import('./parse/run.js')).runParse],
  check: [async () => (await import('./check/command.js')).CHECK, async () => (await import('./check/run.js')).runCheck],
  stats: [async () => (await import('./stats/command.js')).STATS, async () => (await import('./stats/run.js')).runStats],
  compare: [
    async () => (await import('./compare/command.js')).COMPARE,
    async () => (await import('./compare/run.js')).runCompare,
  ],
  canary: [async () => (await import('./canary/command.js')).CANARY, async () => (await import('./canary/run.js')).runCanary],
  receive: [
    async () => (await import('./receive/command.js')).RECEIVE,
    async () => (await import('./receive/run.js')).runReceive,
  ],
  serve: [async () => (await import('./serve/command.js')).SERVE, async () => (await import('./serve/run.js')).runServe],
  completion: [
    async () => (await import('./completion/command.js')).COMPLETION,
    async () => (await import('./completion/run.js')).runCompletion,
  ],
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
  const program = await createProgram(isCommand(first) ? [first] : COMMAND_NAMES);
  try {
    refuseUndecoded(argv);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    endWith(error, isCommand(first) ? `webmail-diaglog ${first} --help` : 'webmail-diaglog --help');
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
  for (const [name, [load]] of Object.entries(COMMANDS)) if (names.includes(name)) definitions.push(await load());
  return definitions;
}

/** Makes the program with some of its commands: the one that is called, or all where help or a suggestion names them. */
export async function createProgram(names: readonly string[]): Promise<Command> {
  const { buildProgram } = await import('./program.js');
  // `endWith` reports errors, as all others.
  const output = { outputError: () => undefined, writeOut: print, writeErr: writeStderr };
  return buildProgram(await loadCommands(names), output, async (name, args, options) => {
    const run = await COMMANDS[name]?.[1]();
    await run?.(args, options, loadCommands);
  });
}

/** Writes help or version to stdout. commander writes in pieces: the first failure is reported, and no other. */
function print(text: string): void {
  process.stdout.write(text, (error) => {
    const isFirst = process.exitCode === undefined;
    if (error && isFirst && systemErrorCode(error) !== 'EPIPE') endWith(explainSystemError(error, '<stdout>'), '');
  });
}
