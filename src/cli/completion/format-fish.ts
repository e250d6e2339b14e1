import type { ValueKind } from '../options/option.js';
import type { CommandLine, CompletedCommand, CompletedOption } from './command-line.js';

/** Formats the completion script of fish, from 3.1 on. */
export function formatFish({ program, version, options, commands }: CommandLine, zones: readonly string[]): string {
  const name = `__${program.replaceAll('-', '_')}`;
  return `# Completion of ${program} ${version} in fish.

# True on the command line of a command; without an argument, before any command.
function ${name}_calls
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        string match -q -- '-*' $word; and continue
        test "$word" = "$argv[1]"
        return
    end
    test (count $argv) -eq 0
end

# Completes the text behind the last comma of a list, by words that are not in the list yet.
function ${name}_list -a ending
    set -l token (commandline -ct | string replace -ar -- '["\\']' '' | string replace -r -- '^-[^=]*=' '')
    set -l before (string match -r -- '^.*,' "$token")
    for word in $argv[2..-1]
        string match -qr -- "(^|,)$word"'[,:=]' "$before"; or echo -- "$before$word$ending"
    end
end

function ${name}_zones
    string split ' ' -- '${zones.join(' ')}'
end

complete -c ${program} -f
${[
  ...options.map((option) => formatOption('', option)),
  ...commands.map(({ name: command, summary }) => formatLine('', ['-a', command, '-d', quote(summary)])),
  ...commands.flatMap(formatCommand),
].join('\n')}
`;

  function formatCommand(command: CompletedCommand): readonly string[] {
    const { argument } = command;
    const ofOptions = command.options.map((option) => formatOption(command.name, option));
    return argument === undefined ? ofOptions : [...ofOptions, formatLine(command.name, formatValues(argument))];
  }

  function formatOption(command: string, { flags, description, value }: CompletedOption): string {
    const named = flags.flatMap((flag) => (flag.startsWith('--') ? ['-l', flag.slice(2)] : ['-s', flag.slice(1)]));
    // -r: the option takes a value.
    const valued = value === undefined ? [] : ['-r', ...formatValues(value)];
    return formatLine(command, [...named, ...valued, '-d', quote(description)]);
  }

  function formatLine(command: string, words: readonly string[]): string {
    return `complete -c ${program} -n '${`${name}_calls ${command}`.trim()}' ${words.join(' ')}`;
  }

  /** -f: no files; -F: files. */
  function formatValues({ completes, words = [], ending = '' }: ValueKind): readonly string[] {
    const list = words.join(' ');
    const settings = {
      free: ['-f'],
      files: ['-F'],
      folders: ['-f', '-a', "'(__fish_complete_directories)'"],
      zones: ['-f', '-a', `'(${name}_zones)'`],
      words: ['-f', '-a', quote(list)],
      list: ['-f', '-a', quote(`(${name}_list "${ending}" ${list})`)],
    };
    return settings[completes];
  }
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
}
