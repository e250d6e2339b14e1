// Writes the man page, dist/webmail-diaglog.1, from the definitions of the commands as built. `npm run build` runs it.
import { writeFileSync } from 'node:fs';
import { COMMAND_NAMES, createProgram } from '../dist/cli/main.cjs';

const COLUMNS = 80;

/** The lines of text in the source of the page: short, for those who read the source, and for `mandoc -Tlint`. */
const LINES = /\S.{0,60}(?!\S)/g;

/** Characters that roff would print as others, and those that not every terminal has. */
const ESCAPES = { '\\': '\\e', '-': '\\-', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha', '~': '\\(ti', '…': '...' };

const program = await createProgram(COMMAND_NAMES);
const help = program.createHelp();
writeFileSync(new URL('../dist/webmail-diaglog.1', import.meta.url), formatPage(dateOfBuild()));

/** The date of the page: that of the build, or of SOURCE_DATE_EPOCH (Unix seconds), which builds that can be repeated set. */
function dateOfBuild() {
  const { SOURCE_DATE_EPOCH } = process.env;
  const moment = SOURCE_DATE_EPOCH === undefined ? new Date() : new Date(1000 * Number(SOURCE_DATE_EPOCH));
  return moment.toISOString().slice(0, 10);
}

/** Formats the page with the macros of man(7). */
function formatPage(date) {
  const { commands } = program;
  const name = program.name();
  const description = help.commandDescription(program);
  return [
    `.TH ${escape(name.toUpperCase())} 1 ${date} "${escape(`${name} ${program.version()}`)}" "User Commands"`,
    // Aligned at the left and without hyphens, so that names can be copied and searched for.
    '.nr HY 0',
    '.ad l',
    '.SH NAME',
    ...formatText(`${name} - ${description.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '')}`),
    '.SH SYNOPSIS',
    '.nf',
    ...commands.map((command) => formatTerm(help.commandUsage(command))),
    '.fi',
    '.SH DESCRIPTION',
    ...formatText(description),
    ...program.options.flatMap(formatOption),
    ...formatProse(proseOf(program)),
    '.SH COMMANDS',
    ...commands.flatMap(formatCommand),
    '',
  ].join('\n');
}

function formatCommand(command) {
  return [
    `.SS ${escape(command.name())}`,
    formatTerm(help.commandUsage(command)),
    '.PP',
    ...formatText(help.commandDescription(command)),
    ...help
      .visibleArguments(command)
      .flatMap((argument) => formatTagged(help.argumentTerm(argument), help.argumentDescription(argument))),
    ...command.options.flatMap(formatOption),
    ...formatProse(proseOf(command)),
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

/** The text that the help of a command shows behind its options. */
function proseOf(command) {
  let shown = '';
  command.configureOutput({ writeOut: (text) => (shown += text), getOutHelpWidth: () => COLUMNS });
  command.outputHelp();
  return shown.slice(command.helpInformation().length);
}

/** Formats text of the help: paragraphs, and indented lines, which are not filled. */
function formatProse(text) {
  return (text.match(/(?:^ .*\n?)+|(?:^[^ \n].*\n?)+/gm) ?? []).flatMap((block) => {
    const lines = block.trimEnd().split('\n');
    if (block.startsWith(' ')) return ['.RS 2', '.EX', ...lines.map((line) => escape(line.slice(2))), '.EE', '.RE'];
    return ['.PP', ...(block === 'Examples:\n' ? ['\\fBExamples:\\fP'] : formatText(lines.join(' ')))];
  });
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
