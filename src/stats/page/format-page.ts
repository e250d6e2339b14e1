import { createHash } from 'node:crypto';
import type { RuleViolations, ShownFinding } from '../../findings/finding.js';
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

/** A page is UTF-8. */
const CHARSET = { isPlain: false };

/** A longer name is cut in its middle. */
const MAX_NAME_COLUMNS = 240;

/** The width of two lines of code: a longer message or value is cut at its end. */
const TWO_LINES_COLUMNS = 200;

export interface PageCheck {
  /** The deployment that the log was compared with: that of its own groups. */
  readonly deployment: Deployment;
  /** The rules that the log breaks, in the order of the rules. */
  readonly rules: readonly RuleViolations[];
}

const STYLE: Markup = { source: `<style>${STYLE_SHEET}</style>` };

const STYLE_HASH = createHash('sha256').update(STYLE_SHEET).digest('base64');

/** The Content-Security-Policy of the page: it loads nothing, runs nothing, and has no style but its own. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

/**
 * Formats what is known of a log as an HTML page in UTF-8; ends in LF. The page stands alone: it loads nothing and needs no script. All
 * text from the log is escaped.
 *
 * @param places of the files of the log
 * @param check the findings of a check of the log, or the reason why the log was not checked: words without a full stop
 */
export function formatPage(counts: LogCounts, places: LinePlaces, check: PageCheck | string): string {
  const name = nameSources(places);
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
<p class="quiet">${describeSpan(counts)}</p>
${counts.failure === undefined ? NOTHING : markup`<p class="notice" role="note">The log was read only in part: ${counts.failure.message}</p>`}
${formatTiles(counts, check)}
</header>
<main>
${sectionsOf(counts, places, check)}
</main>
<footer>Written by <code>webmail-diaglog stats --html</code>. Text from the log is escaped.</footer>
</body>
</html>
`;
  return page.source;
}

function describeSpan({ first, last }: LogCounts): string {
  if (first === undefined || last === undefined) return 'No complete group';
  const [from, until] = [formatStamp(first), formatStamp(last)];
  return from === until ? from : `${from} to ${until}`;
}

function formatTiles(counts: LogCounts, check: PageCheck | string): Markup {
  const rules = counts.records > 0 && typeof check !== 'string' ? check.rules : undefined;
  // Rules that an ordinary log breaks would hide the others.
  const violations = rules?.reduce((sum, { count, isOrdinary }) => sum + (isOrdinary ? 0 : count), 0);
  return markup`<ul class="tiles">
${formatTile(counts.groups, 'request')}
${formatTile(counts.records, 'record')}
${formatTile(counts.foreign.count, 'foreign line')}
${violations === undefined ? NOTHING : formatTile(violations, 'violation')}
</ul>`;
}

function formatTile(count: number, noun: string): Markup {
  return markup`<li><strong>${formatCount(count)}</strong> ${noun}${count === 1 ? '' : 's'}</li>`;
}

/** The sections that there is something for. */
function sectionsOf(counts: LogCounts, places: LinePlaces, check: PageCheck | string): readonly Markup[] {
  const sections: Markup[] = [];
  if (counts.groups > 0) {
    sections.push(formatSection('traffic', 'Requests over time', formatTraffic(counts.timeline)));
    sections.push(formatSection('targets', targetsHeading(counts), formatTargets(counts)));
  }
  if (counts.foreign.count > 0) sections.push(formatSection('messages', 'Foreign messages', formatMessages(counts)));
  if (counts.records > 0)
    sections.push(formatSection('findings', 'Compared with the specification', formatFindings(counts, check)));
  return [...sections, formatSection('facts', 'In numbers', formatFacts(counts, places))];
}

function formatSection(id: string, heading: string, body: Markup): Markup {
  return markup`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${body}
</section>`;
}

function cutName(text: string): string {
  return fit(text, MAX_NAME_COLUMNS, CHARSET, 'middle');
}

function formatTargets(counts: LogCounts): Markup {
  const rows = targetRows(counts, CHARSET);
  const most = Math.max(...rows.map(({ count }) => count));
  return markup`<table>
<thead><tr><th scope="col">Target</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
${rows.map(
  ({ label, count }) => markup`<tr><td><code>${cutName(label)}</code>${formatBar(count / most)}</td>
<td class="number">${formatCount(count)}</td><td class="number">${((100 * count) / counts.groups).toFixed(1)} %</td></tr>`,
)}
</tbody>
</table>`;
}

/** A horizontal bar. Its number stands beside it, so the bar is hidden from screen readers. */
function formatBar(share: number): Markup {
  return markup`<svg class="bar" aria-hidden="true"><rect width="${percent(share)}" height="4" rx="2"/></svg>`;
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
    markup`<tr><td><code>${fit(label, TWO_LINES_COLUMNS, CHARSET)}</code></td><td class="number">${formatCount(count)}</td></tr>`,
)}
</tbody>
</table>`;
}

function formatFacts(counts: LogCounts, places: LinePlaces): Markup {
  return markup`<dl>
${factsOf(counts, places, CHARSET).map(([name, fact]) => markup`<dt>${name}</dt><dd>${fact}</dd>`)}
</dl>`;
}

/** Formats the findings of a check, by rule. @param check the reason in place of a check, where the log was not checked */
function formatFindings({ foreign, incomplete }: LogCounts, check: PageCheck | string): Markup {
  if (typeof check === 'string') return markup`<p>Not checked: ${check}.</p>`;
  const { installRoot, timezone, plugins } = check.deployment;
  return markup`<p class="quiet">The findings of <code>check --infer</code>. The installation is that of the log's own groups:
<code>${cutName(formatName(installRoot, CHARSET))}</code>, ${timezone}, ${countOf(plugins.length, 'plugin')}.</p>
${explainFewer(foreign.count, 'foreign', 'line', check)}
${explainFewer(incomplete.count, 'incomplete', 'group', check)}
${explainOrdinary(check)}
${check.rules.length === 0 ? markup`<p>No violations.</p>` : formatRules(check.rules)}`;
}

/** Explains a number of violations of a rule that is less than what the report counts. */
function explainFewer(counted: number, rule: string, noun: string, { rules }: PageCheck): Markup {
  const found = rules.find((violations) => violations.rule === rule)?.count ?? 0;
  if (found >= counted) return NOTHING;
  const all = countOf(counted, `${rule} ${noun}`, formatCount);
  return markup`<p class="quiet">${formatCount(found)} of the ${all} count as <code>${rule}</code>, the others under a rule
that says more, such as <code>${rule === 'foreign' ? 'ending' : 'path'}</code>.</p>`;
}

/** Explains violations that the head of the page does not count. */
function explainOrdinary({ rules }: PageCheck): Markup {
  const ordinary = rules.filter(({ isOrdinary }) => isOrdinary).map(({ rule }) => rule);
  if (ordinary.length === 0) return NOTHING;
  return markup`<p class="quiet">The head of this page does not count violations of ${ordinary.join(' and ')}: an ordinary
log of a busy server has them.</p>`;
}

function formatRules(rules: readonly RuleViolations[]): Markup {
  return markup`<table>
<thead><tr><th scope="col">Rule and sections of the specification</th><th scope="col" class="number">Violations</th></tr></thead>
${rules.toSorted((rule, other) => other.count - rule.count).map(formatRule)}
</table>`;
}

function formatRule({ rule, sections, count, examples }: RuleViolations): Markup {
  const more = count - examples.length;
  return markup`<tbody class="rule">
<tr><th scope="row">${rule} <span class="quiet">${sections}</span></th><td class="number">${formatCount(count)}</td></tr>
<tr class="examples"><td colspan="2"><ul>
${examples.map(formatExample)}
${more > 0 ? markup`<li class="quiet">and ${formatCount(more)} more</li>` : NOTHING}
</ul></td></tr>
</tbody>`;
}

function formatExample({ place, found, expected }: ShownFinding): Markup {
  const half = (label: string, text: string): Markup =>
    markup`<br/><span class="quiet">${label}</span> <code>${fit(text, TWO_LINES_COLUMNS, CHARSET)}</code>`;
  return markup`<li><code>${place}</code>${half('found', found)}${expected === undefined ? NOTHING : half('expected', expected)}</li>`;
}
