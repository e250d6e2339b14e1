import { createHash } from 'node:crypto';
import type { RuleViolations } from '../../findings/finding.js';
import type { Deployment } from '../../log/deployment.js';
import { formatStamp } from '../../log/timestamp.js';
import { nameSources, type LinePlaces } from '../../reading/line-places.js';
import { countOf, formatCount } from '../../wording.js';
import type { LogCounts } from '../count-log.js';
import { factsOf, messageRows, targetRows, targetsHeading } from '../facts.js';
import { fit, formatName } from '../style.js';
import { formatTraffic, percent } from './chart.js';
import { markup, NOTHING, type Markup } from './markup.js';
import { STYLE_SHEET } from './style-sheet.js';

const CHARSET = { isPlain: false };

/** Names are cut in their middle, messages and values, which may take two lines, at their end. */
const MAX_NAME_COLUMNS = 240;
const TWO_LINES_COLUMNS = 200;

export interface PageCheck {
  readonly deployment: Deployment;
  readonly rules: readonly RuleViolations[];
}

const STYLE: Markup = { source: `<style>${STYLE_SHEET}</style>` };
const STYLE_HASH = createHash('sha256').update(STYLE_SHEET).digest('base64');

/** The page loads nothing, runs nothing, and has no style but its own. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

/**
 * Formats what is known of a log as an HTML page in UTF-8, which ends in LF, loads nothing and needs no script. Text from the log is escaped.
 * @param check the findings of a check of the log, or the reason why the log was not checked: words without a full stop
 */
export function formatPage(counts: LogCounts, places: LinePlaces, check: PageCheck | string): string {
  const name = nameSources(places);
  const { failure, first, last } = counts;
  const span = first && last ? Array.from(new Set([first, last].map(formatStamp))).join(' to ') : 'No complete group';
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name} - webmail-diaglog stats</title>
${STYLE}
</head>
<body>
<header>
<h1>${name}</h1>
<p class="quiet">${span}</p>
${failure === undefined ? NOTHING : markup`<p class="notice" role="note">The log was read only in part: ${failure.message}</p>`}
<ul class="tiles">
${tilesOf(counts, check).map(([count, noun]) => markup`<li><strong>${formatCount(count)}</strong> ${noun}${count === 1 ? '' : 's'}</li>`)}
</ul>
</header>
<main>
${sectionsOf(counts, places, check).map(
  ([id, heading, body]) => markup`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${body}
</section>`,
)}
</main>
<footer>Written by <code>webmail-diaglog stats --html</code>. Text from the log is escaped.</footer>
</body>
</html>
`;
  return page.source;
}

function tilesOf({ groups, records, foreign }: LogCounts, check: PageCheck | string) {
  const tiles: [count: number, noun: string][] = [
    [groups, 'request'],
    [records, 'record'],
    [foreign.count, 'foreign line'],
  ];
  if (records === 0 || typeof check === 'string') return tiles;
  // Rules that an ordinary log breaks would hide the others.
  const violations = check.rules.reduce((sum, { count, isOrdinary }) => sum + (isOrdinary ? 0 : count), 0);
  return [...tiles, [violations, 'violation'] as const];
}

function sectionsOf(counts: LogCounts, places: LinePlaces, check: PageCheck | string) {
  const { groups, foreign, records, timeline } = counts;
  const facts = factsOf(counts, places, CHARSET).map(([name, fact]) => markup`<dt>${name}</dt><dd>${fact}</dd>`);
  return [
    ...(groups > 0 ? [['traffic', 'Requests over time', formatTraffic(timeline)] as const] : []),
    ...(groups > 0 ? [['targets', targetsHeading(counts), formatTargets(counts)] as const] : []),
    ...(foreign.count > 0 ? [['messages', 'Foreign messages', formatMessages(counts)] as const] : []),
    ...(records > 0 ? [['findings', 'Compared with the specification', formatFindings(counts, check)] as const] : []),
    ['facts', 'In numbers', markup`<dl>\n${facts}\n</dl>`],
  ];
}

function codeOf(text: string, columns: number, where?: 'middle'): Markup {
  return markup`<code>${fit(text, columns, CHARSET, where)}</code>`;
}

/** Each bar has its number beside it, so it is hidden from screen readers. */
function formatTargets(counts: LogCounts): Markup {
  const rows = targetRows(counts, CHARSET);
  const most = Math.max(...rows.map(({ count }) => count));
  const barOf = (count: number): Markup =>
    markup`<svg class="bar" aria-hidden="true"><rect width="${percent(count / most)}" height="4" rx="2"/></svg>`;
  return markup`<table>
<thead><tr><th scope="col">Target</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
${rows.map(
  ({ label, count }) => markup`<tr><td>${codeOf(label, MAX_NAME_COLUMNS, 'middle')}${barOf(count)}</td>
<td class="number">${formatCount(count)}</td><td class="number">${((100 * count) / counts.groups).toFixed(1)} %</td></tr>`,
)}
</tbody>
</table>`;
}

function formatMessages(counts: LogCounts): Markup {
  const rows = messageRows(counts, CHARSET);
  const messages = rows.reduce((sum, { count }) => sum + count, 0);
  const lines = countOf(counts.foreign.count, 'foreign line', formatCount);
  return markup`<table>
<caption>${countOf(messages, 'message', formatCount)} in ${lines}: a message may have several lines. Messages are counted by what they
have in common; <code>*</code> stands for what varies.</caption>
<thead><tr><th scope="col">Message</th><th scope="col" class="number">Messages</th></tr></thead>
<tbody>
${rows.map(
  ({ label, count }) =>
    markup`<tr><td>${codeOf(label, TWO_LINES_COLUMNS)}</td><td class="number">${formatCount(count)}</td></tr>`,
)}
</tbody>
</table>`;
}

function formatFindings({ foreign, incomplete }: LogCounts, check: PageCheck | string): Markup {
  if (typeof check === 'string') return markup`<p>Not checked: ${check}.</p>`;
  const { rules } = check;
  const { installRoot, timezone, plugins } = check.deployment;
  const ordinary = rules.filter(({ isOrdinary }) => isOrdinary).map(({ rule }) => rule);
  const notCounted = markup`<p class="quiet">The head of this page does not count violations of ${ordinary.join(' and ')}: an ordinary
log of a busy server has them.</p>`;
  const found = markup`<table>
<thead><tr><th scope="col">Rule and sections of the specification</th><th scope="col" class="number">Violations</th></tr></thead>
${rules.toSorted((rule, other) => other.count - rule.count).map(formatRule)}
</table>`;
  return markup`<p class="quiet">The findings of <code>check --infer</code>. The installation is that of the log's own groups:
${codeOf(formatName(installRoot, CHARSET), MAX_NAME_COLUMNS, 'middle')}, ${timezone}, ${countOf(plugins.length, 'plugin')}.</p>
${explainFewer(foreign.count, 'foreign', 'line', rules)}
${explainFewer(incomplete.count, 'incomplete', 'group', rules)}
${ordinary.length === 0 ? NOTHING : notCounted}
${rules.length === 0 ? markup`<p>No violations.</p>` : found}`;
}

/** Explains a number of violations of a rule that is less than what the report counts. */
function explainFewer(counted: number, rule: string, noun: string, rules: readonly RuleViolations[]): Markup {
  const found = rules.find((violations) => violations.rule === rule)?.count ?? 0;
  if (found >= counted) return NOTHING;
  const all = countOf(counted, `${rule} ${noun}`, formatCount);
  return markup`<p class="quiet">${formatCount(found)} of the ${all} count as <code>${rule}</code>, the others under a rule
that says more, such as <code>${rule === 'foreign' ? 'ending' : 'path'}</code>.</p>`;
}

function formatRule({ rule, sections, count, examples }: RuleViolations): Markup {
  const more = count - examples.length;
  const half = (label: string, text: string | undefined): Markup =>
    text === undefined ? NOTHING : markup`<br/><span class="quiet">${label}</span> ${codeOf(text, TWO_LINES_COLUMNS)}`;
  return markup`<tbody class="rule">
<tr><th scope="row">${rule} <span class="quiet">${sections}</span></th><td class="number">${formatCount(count)}</td></tr>
<tr class="examples"><td colspan="2"><ul>
${examples.map(
  ({ place, found, expected }) => markup`<li><code>${place}</code>${half('found', found)}${half('expected', expected)}</li>`,
)}
${more > 0 ? markup`<li class="quiet">and ${formatCount(more)} more</li>` : NOTHING}
</ul></td></tr>
</tbody>`;
}
