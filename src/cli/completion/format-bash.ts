import type { CommandLine, CompletedCommand, CompletedOption, CompletedValue } from './command-line.js';

/**
 * Formats the completion script of bash, from 3.2 on (macOS).
 *
 * The script leaves file names to readline (`-o default`), which quotes them. It asks no program, and evaluates no text that a user has
 * typed or that is the name of a file.
 */
export function formatBash({ program, version, options, commands }: CommandLine, zones: readonly string[]): string {
  const name = program.replaceAll('-', '_');
  return `# Completion of ${program} ${version} in bash.

# Sets kind, choices and ending to the values of an option: its command, a space, the option. Of an argument: its command and a space.
# Fails for an option without a value.
_${name}_values() {
  kind=free choices= ending=
  case $1 in
${commands.flatMap(formatValueCases).join('\n')}
    *) return 1 ;;
  esac
}

# Sets choices to the options of a command; of none, to those of the program.
_${name}_options() {
  case $1 in
    '') choices='${flagsOf(options)}' ;;
${commands.map((command) => `    ${command.name}) choices='${flagsOf(command.options)}' ;;`).join('\n')}
    *) choices= ;;
  esac
}

_${name}() {
  local IFS=$' \\t\\n' word last value quotes typed prefix= command= option= rest=
  local kind=free choices= ending= choice breaks= split=
  local -a words
  words=("\${COMP_WORDS[0]}")
  COMPREPLY=()

  # Joins the words that bash has split at : and =.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    last=$((\${#words[@]} - 1))
    if [[ $last -gt 0 && ( $word == [:=]* || \${words[last]} == *[:=] ) ]]; then
      words[last]+=$word
    else
      words+=("$word")
    fi
  done

  # Finds the command, and the option that waits for its value.
  last=$((\${#words[@]} - 1))
  for word in "\${words[@]:1:last-1}"; do
    if [[ -n $option ]]; then
      option=
    elif [[ -n $rest ]]; then
      :
    elif [[ $word == -- ]]; then
      rest=1
    elif [[ $word == -* ]]; then
      if _${name}_values "$command $word"; then option=$word; fi
    elif [[ -z $command ]]; then
      command=$word
    fi
  done

  typed=\${words[last]}
  word=\${typed//[\\"\\']/}
  quotes=\${typed//[^\\"\\']/}
  value=$word
  if [[ -n $option ]]; then
    _${name}_values "$command $option"
  elif [[ -z $rest && $word == --*=* ]]; then
    prefix=\${word%%=*}=
    value=\${word#*=}
    _${name}_values "$command \${word%%=*}"
  elif [[ -z $rest && $word == -* ]]; then
    kind=words
    _${name}_options "$command"
  elif [[ -z $command ]]; then
    kind=words
    choices='${commands.map((command) => command.name).join(' ')}'
  else
    _${name}_values "$command "
  fi

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
  if [[ $COMP_WORDBREAKS == *:* ]]; then breaks+=:; fi
  if [[ $COMP_WORDBREAKS == *=* ]]; then breaks+==; fi
  if [[ -n $quotes ]]; then breaks=\\"\\'; fi
  if [[ -n $breaks && \${#COMPREPLY[@]} -gt 0 ]]; then
    split=\${word%"\${typed##*[$breaks]}"}
    COMPREPLY=("\${COMPREPLY[@]#"$split"}")
  fi
}

_${name}_zones='${zones.join(' ')}'

complete -o bashdefault -o default -F _${name} ${program}
`;

  function formatValueCases({ name: command, options: own, argument }: CompletedCommand): readonly string[] {
    return [...own, { flags: [''], value: argument }].flatMap(({ flags, value }) => {
      const calls = flags.map((flag) => `'${command} ${flag}'`).join(' | ');
      return value === undefined ? [] : [`    ${calls}) ${formatValues(value)};;`];
    });
  }

  /** Sets the variables that differ from those of a value that is free. */
  function formatValues({ kind, words, ending }: CompletedValue): string {
    const choices = `choices='${words.join(' ')}'`;
    const settings = {
      free: '',
      files: 'kind=files ',
      folders: 'kind=folders ',
      zones: `kind=words choices=$_${name}_zones `,
      words: `kind=words ${choices} `,
      list: `kind=list ${choices} ending=${ending} `,
    };
    return settings[kind];
  }
}

function flagsOf(options: readonly CompletedOption[]): string {
  return options.flatMap(({ flags }) => flags).join(' ');
}
