// Writes the generated regions of README.md and the pages in docs/ from the definitions of the commands as built: `npm run docs`. With --check it
// names the pages whose regions are out of date instead.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { COMMAND_NAMES, createProgram, loadCommands } from '../dist/cli/main.cjs';

/** A region: what it shows, and its text. `<!-- options replay -->`, an empty line, a table, an empty line, `<!-- end -->`. */
const REGION = /^<!-- (options|kinds|commands)(?: (.*))? -->\n[^]*?^<!-- end -->$/gm;

const DOCS = new URL('../docs/', import.meta.url);
const commands = new Map((await loadCommands()).map((command) => [command.name, command]));
const program = await createProgram(COMMAND_NAMES);
const TABLES = { options: formatOptions, kinds: formatKinds, commands: formatCommands };
const isCheck = process.argv.includes('--check');

for (const name of ['../README.md', ...readdirSync(DOCS).filter((file) => file.endsWith('.md'))]) {
  const page = new URL(name, DOCS);
  const text = readFileSync(page, 'utf8');
  const written = text.replace(REGION, (region, sort, words) => {
    const [begin] = region.split('\n');
    return `${begin}\n\n${TABLES[sort](name, words)}\n\n<!-- end -->`;
  });
  if (written === text) continue;
  if (!isCheck) writeFileSync(page, written);
  console.log(`${name === '../README.md' ? 'README.md' : `docs/${name}`}${isCheck ? ' is out of date: npm run docs' : ''}`);
  if (isCheck) process.exitCode = 1;
}

/** The table of all commands, which link to their pages. */
function formatCommands() {
  const rows = [...commands.values()].map(({ name, description }) => [
    `[\`${name}\`](docs/${name}.md)`,
    description.replace(/\.$/, ''),
  ]);
  return formatTable(['command', 'what it does'], rows);
}

/** The table of the options of a command; of all, or of those with the keys that follow its name. */
function formatOptions(page, words) {
  const [command, ...keys] = words.split(' ');
  const options = Object.entries(find(command).options).filter(([key]) => keys.length === 0 || keys.includes(key));
  const rows = options.map(([key, option]) => [termOf(command, key, option), defaultOf(option), describe(page, option)]);
  return formatTable(['option', 'default', 'meaning'], rows);
}

/**
 * The table of the kinds of a value: `<!-- kinds check allow: rule = name, section, violated by = meaning -->` has a column for each
 * name, with its header before it where that is another one.
 */
function formatKinds(page, words) {
  const [place, list] = words.split(': ');
  const [command, key] = place.split(' ');
  const { options, kinds = {} } = find(command);
  const table = kinds[key] ?? options[key]?.value?.kinds;
  if (table === undefined) throw new Error(`docs/${page}: ${place} has no table of kinds`);
  const columns = list.split(', ').map((column) => column.split(' = '));
  const rows = Object.entries(table).map(([name, kind]) =>
    columns.map(([header, column = header]) => {
      if (column === 'name') return `\`${name}\``;
      if (column === 'flag') return options[name] === undefined ? '' : termOf(command, name, options[name]);
      const value = column === 'meaning' ? describe(page, kind) : kind[column];
      return column === 'default' ? formatDefault(value) : String(value ?? '');
    }),
  );
  return formatTable(
    columns.map(([header]) => header),
    rows,
  );
}

function find(name) {
  const command = commands.get(name);
  if (command === undefined) throw new Error(`no command ${name}`);
  return command;
}

/** The flags of an option, and its value: the words, or the placeholder. */
function termOf(command, key, { value }) {
  const { options } = program.commands.find((each) => each.name() === command);
  const { flags } = options.find((option) => option.attributeName() === key);
  const term = value?.completes === 'words' ? flags.replace(/<.*>$/, value.words.join('\\|')) : flags;
  return term
    .split(', ')
    .map((flag) => `\`${flag}\``)
    .join(', ');
}

function defaultOf({ default: usual, otherwise }) {
  if (usual !== undefined) return `\`${String(usual)}\``;
  if (otherwise === undefined) return '';
  // A value is one word; words about it are several.
  return otherwise.includes(' ') ? markUp(otherwise) : `\`${otherwise}\``;
}

function formatDefault(value) {
  return Array.isArray(value) ? value.map((word) => `\`${word}\``).join(', ') : `\`${String(value)}\``;
}

/** The meaning as Markdown, a link to the page about it, and what the page says besides. */
function describe(page, { meaning, detail, page: link }) {
  const text = markUp(meaning);
  const linked =
    link === undefined || link === page ? text : `[${text}](${link.startsWith(`${page}#`) ? link.slice(page.length) : link})`;
  return detail === undefined ? linked : `${linked}. ${detail}`;
}

/** Plain text as Markdown, with flags as code. */
function markUp(text) {
  return text.replaceAll(/[<|*_]/g, '\\$&').replaceAll(/(?<![\w-])--?[a-z][a-z-]*(?: (?:now|\d))*/g, '`$&`');
}

function formatTable(headers, rows) {
  return [headers, headers.map(() => '---'), ...rows]
    .map((cells, row) => (row === 1 ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' ')))
    .join('\n');
}
