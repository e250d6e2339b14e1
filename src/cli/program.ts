import { Argument, Command, Option, type OutputConfiguration } from 'commander';
import { VERSION } from '../version.js';
import { flagOf } from './messages.js';
import { formatExamples, wrapHelp } from './options/help-text.js';
import type { CommandDefinition, OptionDefinition } from './options/option.js';

export const PROGRAM = 'webmail-diaglog';

const DESCRIPTION = 'Writes the diagnostic log of a webmail (Roundcube under PHP), byte for byte as specified, and reads it.';

/** The option of every command, and of the program, that shows the help: the words are those of commander. */
export const HELP_OPTION = ['help', { short: 'h', meaning: 'display help for command' }] as const;

export const PROGRAM_OPTIONS = [['version', { short: 'V', meaning: 'output the version number' }], HELP_OPTION] as const;

const MORE = `More: man ${PROGRAM}, and README.md and docs/ in the package.`;

type RunNamed = (name: string, args: object, options: object) => Promise<void>;

export function buildProgram(commands: readonly CommandDefinition[], output: OutputConfiguration, run: RunNamed): Command {
  const examples = commands.flatMap(
    ({ name, examples: own }) => own.find((call) => call.startsWith(`${PROGRAM} ${name} `)) ?? [],
  );
  const program = new Command(PROGRAM)
    .description(DESCRIPTION)
    .version(VERSION, '-V, --version')
    .addHelpText('after', `\n${formatExamples([...examples, `${PROGRAM} replay --help`])}\n\n${MORE}`)
    .exitOverride()
    .configureOutput(output)
    .configureHelp({
      // Every command takes options: `[options]` beside each would leave no room for the summaries.
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace(/\[options\] ?/, '')}`.trim(),
    });
  for (const definition of commands) program.addCommand(buildCommand(definition, run).copyInheritedSettings(program));
  return program;
}

function buildCommand(definition: CommandDefinition, run: RunNamed): Command {
  const { name, summary, description, arguments: args, options } = definition;
  const command = new Command(name).summary(summary).description(description).addHelpText('after', helpBehind(definition));
  for (const [key, { meaning, required, repeated, value }] of Object.entries(args)) {
    const placeholder = `${key}${repeated === true ? '...' : ''}`;
    const argument = new Argument(required === true ? `<${placeholder}>` : `[${placeholder}]`, meaning);
    command.addArgument(value?.words === undefined ? argument : argument.choices(value.words));
  }
  for (const [key, option] of Object.entries(options)) command.addOption(buildOption(key, option));
  return command.action(async () => {
    const given = Object.keys(args).map((key, index) => [key, command.processedArgs[index]] as const);
    await run(name, Object.fromEntries(given), command.opts());
  });
}

function helpBehind({ name, help, examples, exit }: CommandDefinition): string {
  const codes = Object.entries(exit).map(([code, meaning]) => `${code} ${meaning}`);
  const more = `More: man ${PROGRAM}-${name}, and docs/${name}.md in the package.`;
  return `\n${[help, formatExamples(examples), wrapHelp(`Exit codes: ${codes.join(', ')}.`), more].join('\n\n')}`;
}

export function buildOption(key: string, definition: OptionDefinition): Option {
  const { value } = definition;
  const flags = flagsOf(key, definition).join(', ');
  const term = value === undefined ? flags : `${flags} <${value.placeholder}>`;
  const option = new Option(term, describeOption(definition)).default(definition.default, String(definition.default));
  if (value?.completes === 'words') option.choices(value.words ?? []);
  else if (value !== undefined) option.argParser((text: string, before: unknown) => value.parse?.(key, text, before));
  return option;
}

export function flagsOf(key: string, { short }: OptionDefinition): readonly string[] {
  return short === undefined ? [flagOf(key)] : [`-${short}`, flagOf(key)];
}

/** The meaning of an option, and what happens where it is not given. */
export function describeOption({ meaning, otherwise }: OptionDefinition): string {
  return otherwise === undefined ? meaning : `${meaning} (default: ${otherwise})`;
}
