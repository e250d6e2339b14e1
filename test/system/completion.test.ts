import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { makeFolder, runShell } from '../support/run.js';

/** The name of a file that would make another file, were it evaluated. */
const HOSTILE_NAME = 'o$(touch made)`touch made`;touch made';

/** Makes the files and the folder that the lines of `COMPLETIONS` name. */
function makeFiles(): string {
  const folder = makeFolder({ 'error log': '', 'requests.csv': '', [HOSTILE_NAME]: '' });
  mkdirSync(join(folder, 'site'));
  return folder;
}

/**
 * Command lines that only one word completes: the words before the cursor's, the beginning of that word, and the completed word, unquoted.
 * A space ends the completed word where nothing can follow in the same word.
 */
const COMPLETIONS = [
  ['', 'rep', 'replay '],
  ['', '--v', '--version '],
  ['help', 'ser', 'serve '],
  ['completion', 'fi', 'fish '],
  ['check', '--inf', '--infer '],
  ['replay --order', 'so', 'sort '],
  ['replay', '--order=so', '--order=sort '],
  ['replay list.csv --live --dialect', 'p', 'php '],
  ['parse --as', 'dep', 'deployment '],
  ['compare sent.log --kind', 'd', 'deprecation '],
  ['synth --timezone', 'Europe/Wars', 'Europe/Warsaw '],
  ['synth', '--timezone=Europe/Wars', '--timezone=Europe/Warsaw '],
  ['synth --faults', 'torn:0.1,la', 'torn:0.1,late:'],
  ['synth', '--faults=torn:0.1,la', '--faults=torn:0.1,late:'],
  ['synth --faults', 'missing:1,mi', 'missing:1,mi'],
  ['synth --timezone', "'Europe/Wars", "'Europe/Warsaw' "],
  ['compare a b --fields', 'instant=time,req', 'instant=time,request_target='],
  ['compare a b', '--fields=instant=time,req', '--fields=instant=time,request_target='],
  ['check --allow', 'interleaved,for', 'interleaved,foreign'],
  ['check --allow path --allow', 'interleaved,inc', 'interleaved,incomplete'],
  ['replay', 'req', 'requests.csv '],
  ['parse', 'err', 'error log '],
  ['parse error.log --', 'req', 'requests.csv '],
  ['check -o', 'req', 'requests.csv '],
  ['check', '--output=req', '--output=requests.csv '],
  ['compare sent.log', 'o', `${HOSTILE_NAME} `],
  ['synth --install-root', 's', 'site/'],
] as const;

/** A shell in a terminal: how it starts, and the lines that load the completion and bind a key that writes down the line at hand. */
interface Terminal {
  readonly start: string;
  readonly prepare: readonly string[];
}

const BASH: Terminal = {
  start: 'bash --norc --noprofile -i',
  prepare: [
    'source ./script',
    String.raw`note() { printf '%s\n' "$READLINE_LINE" >> noted; printf 'NO%s\n' TED; }`,
    String.raw`bind -x '"\C-x\C-n": note'`,
  ],
};

const NOTE_IN_ZSH = [
  'bindkey -e',
  'note() { print -r -- "$BUFFER" >> noted; print NO${:-TED} }',
  'zle -N note',
  "bindkey '^X^N' note",
];

const INITIALIZE_ZSH = 'autoload -U compinit; compinit -u -D';
const ZSH: Terminal = { start: 'zsh -f -i', prepare: [INITIALIZE_ZSH, 'source ./script', ...NOTE_IN_ZSH] };

/** The script as a function that zsh loads from a folder. */
const ZSH_FOLDER: Terminal = { ...ZSH, prepare: ['fpath=($PWD/functions $fpath)', INITIALIZE_ZSH, ...NOTE_IN_ZSH] };

/** Types each line of the file `typed` and Tab into a shell in a terminal. Reads, and does not wait, until the shell has noted the line. */
const TYPE = `
zmodload zsh/zpty
unset HISTFILE
export TERM=dumb
zpty shell "$1"
while IFS= read -r line; do
  zpty -w shell "$line; echo REA''DY"
  zpty -r shell screen '*READY*' || exit 1
done < prepare
while IFS= read -r line; do
  zpty -w -n shell "$line"$'\\t\\x18\\x0e'
  zpty -r shell screen '*NOTED*' || exit 1
  zpty -w -n shell $'\\x15'
done < typed
zpty -d shell`;

const TYPED = COMPLETIONS.map(([before, begun]) => `${callOf(before)}${begun}`);

function callOf(before: string): string {
  return before === '' ? 'webmail-diaglog ' : `webmail-diaglog ${before} `;
}

function quote(word: string): string {
  return word.replaceAll(/[$()`;]|(?<!,|:\S*) (?!$)/g, String.raw`\$&`);
}

async function typeInto({ start, prepare }: Terminal, shell: string, typed: readonly string[]): Promise<readonly string[]> {
  const cwd = makeFiles();
  mkdirSync(join(cwd, 'functions'));
  await runShell(`webmail-diaglog completion ${shell} | tee script > functions/_webmail-diaglog`, { cwd });
  writeFileSync(join(cwd, 'prepare'), `${prepare.join('\n')}\n`);
  writeFileSync(join(cwd, 'typed'), `${typed.join('\n')}\n`);
  writeFileSync(join(cwd, 'type'), TYPE);
  const { exit, stderr } = await runShell(`zsh -f type '${start}'`, { cwd });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(existsSync(join(cwd, 'made'))).toBe(false);
  return readFileSync(join(cwd, 'noted'), 'utf8').split('\n').slice(0, -1);
}

describeWith(['zsh'], 'completion in a terminal', () => {
  const completed = COMPLETIONS.map(([before, , word]) => `${callOf(before)}${quote(word)}`);

  test.each([
    ['bash', 'bash', BASH],
    ['zsh', 'zsh', ZSH],
    ['zsh, from a folder of functions', 'zsh', ZSH_FOLDER],
  ])('%s', async (_name, shell, terminal) => {
    // The last program is called by its path.
    const lines = await typeInto(terminal, shell, [...TYPED, './bin/webmail-diaglog rep']);
    // zsh adds a comma to a list, and takes it away again before a space.
    expect(lines.map((line) => line.replace(/,$/, ''))).toEqual([...completed, './bin/webmail-diaglog replay ']);
  });
});

describeWith(['fish'], 'completion in fish', () => {
  test('gives the words that complete a line', async () => {
    const cwd = makeFiles();
    // bash would close the quote, and zsh would not.
    const typed = [...TYPED, 'webmail-diaglog synth --faults "torn:0.1,la', 'webmail-diaglog synth --faults="torn:0.1,la'];
    writeFileSync(join(cwd, 'typed'), `${typed.join('\n')}\n`);
    const script = `
      webmail-diaglog completion fish > script
      fish --no-config -c 'source script; while read -l line; complete -C $line; echo END; end < typed'`;
    const { exit, stdout, stderr } = await runShell(script, { cwd });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    // A description stands behind a tab.
    const words = stdout.split('END\n').map((lines) => lines.match(/^[^\t\n]+/gm) ?? []);
    const expected = COMPLETIONS.map(([, begun, word]) => (word === begun ? [] : [word.trimEnd().replaceAll(/^["']|'$/g, '')]));
    expect(words).toEqual([...expected, ['torn:0.1,late:'], ['--faults=torn:0.1,late:'], []]);
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });
});
