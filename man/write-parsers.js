// Writes the regular expressions of parsers/ from the table of fields in src/log/fields.ts: `npm run docs`. With --check it names the files
// that are out of date instead.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const PARSERS = new URL('../parsers/', import.meta.url);

/** The opening of the group of a field, by what stands behind the first `(` of an expression. */
const OPENINGS = { '': () => '(', '?<': (name) => `(?<${name}>`, '?P<': (name) => `(?P<${name}>` };

/** An expression where it stands: its first group is the timestamp, and a quote, a slash or the end of the line ends it. */
const EXPRESSION = /^(?<before>.*)\^\\{1,2}\[\((?<form>\?P?<)?.*\$(?<after>['"`/].*)?$/gm;

const { FIELDS_OF, SEVERITIES, regexOf } = await importTypeScript('src/log/fields.ts');
const isCheck = process.argv.includes('--check');

for (const path of readdirSync(PARSERS, { recursive: true })) {
  const file = new URL(path, PARSERS);
  if (path.endsWith('.md') || statSync(file).isDirectory()) continue;
  const text = readFileSync(file, 'utf8');
  const written = text.replace(EXPRESSION, (line, before, opening, after = '') => {
    const kind = Object.keys(FIELDS_OF).find((each) => line.includes(` ${SEVERITIES[each]}:`));
    return before + quote(regexOf(kind, OPENINGS[opening ?? '']), path, after) + after;
  });
  if (written === text) continue;
  if (!isCheck) writeFileSync(file, written);
  console.log(`parsers/${path}${isCheck ? ' is out of date: npm run docs' : ''}`);
  if (isCheck) process.exitCode = 1;
}

/** The expression as it stands in a file, before the text `after`. */
function quote(expression, path, after) {
  // POSIX has no groups that capture nothing: the id is captured with what belongs to it.
  if (path.startsWith('regex/') && path.includes('.numbered.')) return expression.replace(/\(\?:<\((.*?)\)> \)\?/, '(<$1> )?');
  if (after.startsWith('/')) return expression.replaceAll('/', '\\/');
  return path.endsWith('.json') ? expression.replaceAll('\\', '\\\\') : expression;
}

async function importTypeScript(path) {
  const bundle = await rolldown({ input: fileURLToPath(new URL(`../${path}`, import.meta.url)) });
  const { output } = await bundle.generate();
  await bundle.close();
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}
