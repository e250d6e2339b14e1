import type { ValueKind } from '../options/option.js';
import type { CommandLine, CompletedCommand } from './command-line.js';

/**
 * Formats the completion script of bash, from 3.2 on (macOS).
 *
 * The script leaves file names to readline (`-o default`), which quotes them. It asks no program, and evaluates no text that a user has
 * typed or that is the name of a file.
 */
export function formatBash({ program, version, options, names, commands }: CommandLine, zones: readonly string[]): string {
  const name = program.replaceAll('-', '_');
  const call = { name: '', options, argument: names };
  return `# Completion of ${program} ${version} in bash.

# Sets kind, choices and ending to what can follow a command and a space, then one of these: an option; "options", for the options of the
# command; nothing, for its argument. Without a command, to those of the program. Fails for an option without a value.
_${name}_values() {
  kind=free choices= ending=
  case $1 in
${[call, ...commands].flatMap(formatCases).join('\n')}
    *) return 1 ;;
  esac
}

_${name}() {
  local IFS=$' \\t\\n' word last typed value quotes prefix= command= option= rest=
  local kind choices ending choice breaks split=
  local -a words
  COMPREPLY=()

  # Not COMP_WORDS, which bash has split at : and =. The period makes a word of what is completed, if that is empty.
  read -ra words <<< "\${COMP_LINE:0:COMP_POINT}."
  last=$((\${#words[@]} - 1))
  typed=\${words[last]%.}

  # Finds the command, and the option that waits for its value.
  for word in "\${words[@]:1:last-1}"; do
    if [[ -n $option ]]; then option=
    elif [[ $word == -- ]]; then rest=1
    elif [[ -z $rest && $word == -* ]]; then if _${name}_values "$command $word"; then option=$word; fi
    elif [[ -z $command ]]; then command=$word
    fi
  done

  word=\${typed//[\\"\\']/}
  quotes=\${typed//[^\\"\\']/}
  if [[ -z $option$rest && $word == --*=* ]]; then
    option=\${word%%=*}
    prefix=$option=
  elif [[ -z $option$rest && $word == -* ]]; then
    option=options
  fi
  value=\${word#"$prefix"}
  _${name}_values "$command $option"

  case $kind in
    files) return ;;
    folders) compopt -o dirnames +o bashdefault +o default 2> /dev/null; return ;;
  esac
  compopt +o bashdefault +o default 2> /dev/null
  # One quote is open. Of a word with more quotes readline would replace another part.
  if [[ \${#quotes} -gt 1 ]]; then return; fi
  if [[ $kind == list ]]; then
    # Completes the text behind the last comma, by words that are not in the list yet.
    split=\${value%"\${value##*,}"}
    prefix+=$split
    value=\${value##*,}
    compopt -o nospace 2> /dev/null
  fi
  for choice in $choices; do
    if [[ $choice == "$value"* && ,$split != *,"$choice"[,:=]* ]]; then
      COMPREPLY+=("$prefix$choice$ending")
    fi
  done

  # Readline replaces only what stands behind the quote, and without a quote only what stands behind the last of these.
  breaks=\${COMP_WORDBREAKS//[^:=]/}
  if [[ -n $quotes ]]; then breaks=\\"\\'; fi
  if [[ -n $breaks && \${#COMPREPLY[@]} -gt 0 ]]; then
    split=\${word%"\${typed##*[$breaks]}"}
    COMPREPLY=("\${COMPREPLY[@]#"$split"}")
  fi
}

_${name}_zones='${zones.join(' ')}'

complete -o bashdefault -o default -F _${name} ${program}
`;

  function formatCases({ name: command, options: own, argument }: Omit<CompletedCommand, 'summary'>): readonly string[] {
    const valued = [{ flags: [''], value: argument }, ...own].flatMap(({ flags, value }) => {
      const calls = flags.map((flag) => `'${command} ${flag}'`).join(' | ');
      return value === undefined ? [] : [`    ${calls}) ${formatValue(value)};;`];
    });
    return [`    '${command} options') kind=words choices='${own.flatMap(({ flags }) => flags).join(' ')}' ;;`, ...valued];
  }

  /** Sets the variables that differ from those of a value that is free. */
  function formatValue({ completes, words = [], ending = '' }: ValueKind): string {
    const choices = `choices='${words.join(' ')}'`;
    const settings = {
      free: '',
      files: 'kind=files ',
      folders: 'kind=folders ',
      zones: `kind=words choices=$_${name}_zones `,
      words: `kind=words ${choices} `,
      list: `kind=list ${choices} ending=${ending} `,
    };
    return settings[completes];
  }
}
