import { RE2_IN_PERL } from '../support/programs.js';
import type { Form } from '../support/regex-files.js';

/** A regular-expression engine, or a mode of one, and a shell script that prints the captures of $pattern in $log. */
export interface Engine {
  readonly name: string;
  readonly needs: readonly string[];
  /** The forms that it compiles. It refuses all others. */
  readonly forms: readonly Form[];
  /**
   * Prints a line for every line of $log that matches the regular expression in the file $pattern: its captures, a space between
   * two. The third of nine is the session id, which the corpora do not have. $captures holds the others, $engines the folder of the programs that are not one line.
   */
  readonly script: string;
}

/** With -l lines come without their LF: RE2 matches $ at the end of the text only. Strict, RE2 does not hand over to Perl. */
const PERL = `perl "$@" -lne 'BEGIN { open F, shift; chomp($re = <F>) } print join(" ", map { $_ // "" } @all[grep { @all != 9 || $_ != 2 } 0 .. $#all]) if @all = /$re/' "$pattern" "$log"`;

const PYTHON = `python3 -c '
import re, sys
regex = re.compile(open(sys.argv[1], "rb").read().rstrip())
for line in open(sys.argv[2], "rb"):
    match = regex.search(line)
    groups = match.groups(b"") if match else ()
    if match: sys.stdout.buffer.write(b" ".join(group for at, group in enumerate(groups) if at != 2 or len(groups) != 9) + b"\\n")' "$pattern" "$log"`;

const RUBY = `ruby -E BINARY -e '
regex = Regexp.new(File.binread(ARGV[0]).chomp, Regexp::NOENCODING)
File.foreach(ARGV[1], "\\n", mode: "rb") { |line| match = regex.match(line) and puts match.captures.then { |all| all.size == 9 ? all[0, 2] + all[3..] : all }.join(" ") }' "$pattern" "$log"`;

/** The modes in which every byte but LF can stand in a field: bytes, or latin1. */
export const BYTE_ENGINES: readonly Engine[] = [
  {
    name: 'GNU sed (POSIX)',
    needs: ['sed'],
    forms: ['numbered'],
    script: `LC_ALL=C sed -nE "s#$(cat "$pattern")#$(sed 's/[$]/\\\\/g' <<< "$captures")#p" "$log"`,
  },
  { name: 'Perl', needs: ['perl'], forms: ['numbered', 'named', 'python-named'], script: `set --; ${PERL}` },
  {
    name: 'PCRE2 (pcre2grep)',
    needs: ['pcre2grep'],
    forms: ['numbered', 'named', 'python-named'],
    script: `LC_ALL=C pcre2grep -a --om-separator=' ' $(sed 's/[$]/-o/g' <<< "$captures") "$(cat "$pattern")" "$log"`,
  },
  { name: 'Python', needs: ['python3'], forms: ['numbered', 'python-named'], script: PYTHON },
  { name: 'Ruby (Onigmo)', needs: ['ruby'], forms: ['numbered', 'named'], script: RUBY },
  {
    name: 'Go 1.19',
    needs: ['go'],
    forms: ['numbered', 'python-named'],
    script: `GOCACHE="$PWD/go" GO111MODULE=off go run "$engines/engine.go" "$pattern" "$log"`,
  },
  {
    name: 'RE2',
    needs: [RE2_IN_PERL],
    forms: ['numbered', 'python-named'],
    script: `set -- -Mre::engine::RE2=-strict,1; ${PERL}`,
  },
  {
    name: 'Rust (ripgrep)',
    needs: ['rg'],
    forms: ['numbered', 'python-named'],
    script: `rg --no-unicode --encoding none -aNI --replace "$captures" "$(cat "$pattern")" "$log"`,
  },
  npm('re2js', ['numbered', 'named', 'python-named']),
  npm('rregex', ['numbered', 'named', 'python-named']),
  npm('vscode-oniguruma', ['numbered', 'named']),
];

function npm(name: string, forms: readonly Form[]): Engine {
  const needs = [`test/collectors/node_modules/${name}/package.json`];
  return { name: `${name} (npm)`, needs, forms, script: `"\${program[0]}" "$engines/engine.js" ${name} "$pattern" "$log"` };
}

/** A mode in which an engine takes the log for text, and not for bytes. */
export interface TextMode {
  readonly name: string;
  readonly needs: readonly string[];
  /** A line with bytes that are not UTF-8 is passed over without a message, or ends the program with an error. */
  readonly outcome: 'unmatched' | 'error';
  /** Prints the number of lines that match, unless it ends with an error. */
  readonly script: string;
}

/** The modes that lose lines with bytes that are not UTF-8. */
export const TEXT_MODES: readonly TextMode[] = [
  {
    name: 'GNU sed, UTF-8 locale',
    needs: ['sed'],
    outcome: 'unmatched',
    script: `LC_ALL=C.UTF-8 sed -nE "\\\\#$(cat "$pattern")#p" "$log" | wc -l`,
  },
  { name: 'grep -E, UTF-8 locale', needs: ['grep'], outcome: 'unmatched', script: `LC_ALL=C.UTF-8 grep -acEf "$pattern" "$log"` },
  {
    name: 'grep -P, UTF-8 locale',
    needs: ['grep'],
    outcome: 'unmatched',
    script: `LC_ALL=C.UTF-8 grep -acP "$(cat "$pattern")" "$log"`,
  },
  { name: 'pcre2grep -U', needs: ['pcre2grep'], outcome: 'unmatched', script: `pcre2grep -aUc "$(cat "$pattern")" "$log"` },
  { name: 'pcre2grep -u', needs: ['pcre2grep'], outcome: 'error', script: `pcre2grep -auc "$(cat "$pattern")" "$log"` },
  { name: 'ripgrep, as it is', needs: ['rg'], outcome: 'unmatched', script: `rg -ac "$(cat "$pattern")" "$log"` },
  {
    name: 'Ruby, UTF-8',
    needs: ['ruby'],
    outcome: 'error',
    script: `ruby -E UTF-8 -e 'regex = Regexp.new(File.read(ARGV[0]).chomp); puts File.foreach(ARGV[1]).count { |line| regex.match?(line) }' "$pattern" "$log"`,
  },
  {
    name: 'Python, UTF-8',
    needs: ['python3'],
    outcome: 'error',
    script: `python3 -c '
import re, sys
regex = re.compile(open(sys.argv[1]).read().rstrip())
print(sum(1 for line in open(sys.argv[2], encoding="utf-8", newline="\\n") if regex.search(line)))' "$pattern" "$log"`,
  },
];
