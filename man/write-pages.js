// Writes the man pages from the definitions of the commands as built: dist/man/webmail-diaglog.1, and a page a command. `npm run build`
// runs it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { COMMAND_NAMES, createProgram, loadCommands } from '../dist/cli/main.cjs';

/** The lines of text in the source of the page: short, for those who read the source, and for `mandoc -Tlint`. */
const LINES = /\S.{0,60}(?!\S)/g;

/** Characters that roff would print as others, and those that not every terminal has. */
const ESCAPES = { '\\': '\\e', '-': '\\-', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha', '~': '\\(ti', '…': '...' };

const FOLDER = new URL('../dist/man/', import.meta.url);

const program = await createProgram(COMMAND_NAMES);
const help = program.createHelp();
const definitions = await loadCommands();
const date = dateOfBuild();

mkdirSync(FOLDER, { recursive: true });
write('', formatMainPage());
for (const definition of definitions) write(`-${definition.name}`, formatCommandPage(definition));

function write(suffix, lines) {
  const name = program.name() + suffix;
  const head = [
    `.TH ${escape(name.toUpperCase())} 1 ${date} "${escape(`${program.name()} ${program.version()}`)}" "User Commands"`,
    // Aligned at the left and without hyphens, so that names can be copied and searched for.
    '.nh',
    '.ad l',
  ];
  writeFileSync(new URL(`${name}.1`, FOLDER), [...head, ...lines, ''].join('\n'));
}

/** The date of the pages: that of the build, or of SOURCE_DATE_EPOCH (Unix seconds), which builds that can be repeated set. */
function dateOfBuild() {
  const { SOURCE_DATE_EPOCH } = process.env;
  const moment = SOURCE_DATE_EPOCH === undefined ? new Date() : new Date(1000 * Number(SOURCE_DATE_EPOCH));
  return moment.toISOString().slice(0, 10);
}

/** The page of the program: its commands, and what holds for all of them. */
function formatMainPage() {
  const description = help.commandDescription(program);
  return [
    ...formatName(program.name(), description),
    '.SH SYNOPSIS',
    '.nf',
    ...program.commands.map((command) => formatTerm(help.commandUsage(command))),
    '.fi',
    '.SH DESCRIPTION',
    ...formatText(description),
    ...program.options.flatMap(formatOption),
    '.SH COMMANDS',
    ...definitions.flatMap(({ name, description: text }) => formatTagged(nameOf(name), `${text} See ${nameOf(name)}(1).`)),
    '.SH EXIT STATUS',
    ...formatExit({
      0: 'done',
      1: 'the data is at fault, or something was found',
      2: 'the call or the environment is at fault',
      '128 + n': 'ended by signal n',
    }),
    '.SH FILES',
    ...formatTagged('<file.json>', 'A deployment, what is fixed per installation: JSON, as parse --as deployment writes it.'),
    ...formatTagged('FILE.1, FILE.2, …', 'The rotated files of -o FILE, the newest first.'),
    ...formatSeeAlso([...definitions.map(({ name }) => nameOf(name)), 'jq', 'logrotate'], 'README.md and docs/'),
  ];
}

function formatCommandPage({ name, description, help: prose, examples, exit, options }) {
  const command = program.commands.find((each) => each.name() === name);
  const files = command.options.filter((option) => options[option.attributeName()].value?.completes === 'files');
  return [
    ...formatName(nameOf(name), description),
    '.SH SYNOPSIS',
    formatTerm(help.commandUsage(command)),
    '.SH DESCRIPTION',
    ...formatText(description),
    ...help
      .visibleArguments(command)
      .flatMap((argument) => formatTagged(help.argumentTerm(argument), help.argumentDescription(argument))),
    ...formatProse(prose),
    '.SH OPTIONS',
    ...command.options.flatMap(formatOption),
    '.SH EXIT STATUS',
    ...formatExit(exit),
    '.SH FILES',
    ...files.flatMap(formatOption),
    '.SH EXAMPLES',
    ...formatBlock(examples),
    ...formatSeeAlso([program.name()], `docs/${name}.md`),
  ];
}

function nameOf(command) {
  return `${program.name()}-${command}`;
}

function formatName(name, description) {
  return [
    '.SH NAME',
    ...formatText(`${name} - ${description.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '')}`),
  ];
}

function formatExit(codes) {
  return Object.entries(codes).flatMap(([code, meaning]) => ['.TP', escape(code), ...formatText(`${meaning}.`)]);
}

function formatSeeAlso(pages, docs) {
  const names = pages.map((page) => `\\fB${escape(page)}\\fP(1)`);
  return [
    '.SH SEE ALSO',
    ...names.map((name, index) => (index < names.length - 1 ? `${name},` : name)),
    '.PP',
    `The package has ${escape(docs)}.`,
  ];
}

function formatOption(option) {
  return formatTagged(help.optionTerm(option), help.optionDescription(option));
}

function formatTagged(term, description) {
  return ['.TP', formatTerm(term), ...formatText(description)];
}

/** Formats what is typed: words in bold, placeholders in italics. */
function formatTerm(term) {
  return term.replace(/[<[][^<[\]>]*[\]>]|[^\s,<[]+|[^]/g, (part) => {
    if (/^[\s,]/.test(part)) return part;
    return `${/^[<[]/.test(part) ? '\\fI' : '\\fB'}${escape(part)}\\fP`;
  });
}

/** Formats text of the help: paragraphs, and indented lines, which are not filled. */
function formatProse(text) {
  return (text.match(/(?:^ .*\n?)+|(?:^[^ \n].*\n?)+/gm) ?? []).flatMap((block) => {
    const lines = block.trimEnd().split('\n');
    return block.startsWith(' ') ? formatBlock(lines.map((line) => line.slice(2))) : ['.PP', ...formatText(lines.join(' '))];
  });
}

function formatBlock(lines) {
  return ['.RS 2', '.EX', ...lines.join('\n').split('\n').map(escape), '.EE', '.RE'];
}

/** Formats text that roff fills. Each sentence begins a line of its own, by which roff knows it. */
function formatText(text) {
  const sentences = text.split(/(?<=\.) (?=[A-Z])/);
  return sentences.flatMap((sentence) => sentence.match(LINES)).map(escape);
}

/** Escapes text for roff, where a period or a quote at the beginning of a line would begin a request. */
function escape(text) {
  return text.replace(/[\\'`^~…-]/g, (character) => ESCAPES[character]).replace(/^\./, '\\&.');
}
