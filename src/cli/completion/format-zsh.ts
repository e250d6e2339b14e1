import type { ValueKind } from '../options/option.js';
import type { CommandLine, CompletedCommand, CompletedOption } from './command-line.js';

/** Formats the completion script of zsh, for a folder of `$fpath` as `_webmail-diaglog`, or to be sourced after `compinit`. */
export function formatZsh({ program, version, options, commands }: CommandLine, zones: readonly string[]): string {
  const name = `_${program}`;
  return `#compdef ${program}
# Completion of ${program} ${version} in zsh.

${name}() {
  local curcontext=$curcontext state
  local -a line
  _arguments -C -S \\
${formatSpecs(options.flatMap(formatOption), '    ')} \\
    '1: :${name}_commands' \\
    '*:: :->arguments'
  [[ $state == arguments ]] || return
  curcontext=\${curcontext%:*:*}:${program}-$line[1]:
  case $line[1] in
${commands.map(formatCommand).join('\n')}
  esac
}

${name}_commands() {
  local -a commands=(
${commands.map((command) => `    ${quote(`${command.name}:${command.summary}`)}`).join('\n')}
  )
  _describe -t commands command commands
}

# Completes the text behind the last comma of a list, by words that are not in the list yet.
${name}_list() {
  local ending=$1
  shift
  local -a before choices
  if [[ $PREFIX == *,* ]]; then
    before=(\${\${(s:,:)PREFIX%,*}%%[:=]*})
  fi
  choices=(\${@:|before})
  compset -P '*,'
  if [[ -n $ending ]]; then
    compadd -S $ending -a choices
  else
    compadd -qS , -a choices
  fi
}

${name}_zones() {
  local -a zones=(${zones.join(' ')})
  compadd "$@" -a zones
}

if [[ $funcstack[1] == ${name} ]]; then
  ${name} "$@"
else
  compdef ${name} ${program}
fi
`;

  function formatCommand(command: CompletedCommand): string {
    const specs = command.options.flatMap(formatOption);
    if (command.argument !== undefined) specs.push(`*${formatValue(command.argument)}`);
    return `    ${command.name})\n      _arguments -s -S \\\n${formatSpecs(specs, '        ')}\n      ;;`;
  }

  /** Formats a specification of `_arguments` for each flag of an option. The flags of one option exclude each other, except for lists. */
  function formatOption({ flags, description, value }: CompletedOption): readonly string[] {
    const isRepeated = value?.completes === 'list';
    return flags.map((flag) => {
      const others = isRepeated ? '*' : `(${flags.join(' ')})`;
      const separator = value === undefined ? '' : flag.startsWith('--') ? '=' : '+';
      return `${others}${flag}${separator}[${escape(description, /[[\]:\\]/g)}]${value === undefined ? '' : formatValue(value)}`;
    });
  }

  function formatValue({ placeholder, completes, words = [], ending = '' }: ValueKind): string {
    const list = words.join(' ');
    const actions = {
      free: ' ',
      files: '_files',
      folders: '_files -/',
      zones: `${name}_zones`,
      words: `(${list})`,
      list: ` ${name}_list "${escape(ending, /:/g)}" ${list}`,
    };
    return `:${escape(placeholder, /[:\\]/g)}:${actions[completes]}`;
  }
}

function formatSpecs(specs: readonly string[], indent: string): string {
  return specs.map((spec) => `${indent}${quote(spec)}`).join(' \\\n');
}

function escape(text: string, characters: RegExp): string {
  return text.replace(characters, String.raw`\$&`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
