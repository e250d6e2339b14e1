import type { RuleViolations, ShownFinding } from '../../findings/finding.js';
import type { Deployment } from '../../log/deployment.js';
import type { LinePlaces } from '../../reading/line-places.js';
import { countOf, formatCount } from '../../wording.js';
import type { LogCounts } from '../count-log.js';
import { factsOf, messageRows, targetRows } from '../facts.js';
import { fit, formatName } from '../style.js';
import { percent } from './chart.js';
import { markup, NOTHING, type Markup } from './markup.js';

/** A page is UTF-8. */
const CHARSET = { isPlain: false };

/** A longer name is cut in its middle. */
const MAX_NAME_COLUMNS = 240;

/** The width of two lines of code: a longer message or value is cut at its end. */
const TWO_LINES_COLUMNS = 200;

/** Cuts a name, which is text, to what a page shows of it. */
function cutName(text: string): string {
  return fit(text, MAX_NAME_COLUMNS, CHARSET, 'middle');
}

/** Formats requests by target as a table with bars. */
export function formatTargets(counts: LogCounts): Markup {
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

/** Formats the most frequent foreign messages as a table. */
export function formatMessages(counts: LogCounts): Markup {
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

/** Formats the facts of the report as a list. */
export function formatFacts(counts: LogCounts, places: LinePlaces): Markup {
  return markup`<dl>
${factsOf(counts, places, CHARSET).map(([name, fact]) => markup`<dt>${name}</dt><dd>${fact}</dd>`)}
</dl>`;
}

/** The findings of a check of the log. */
export interface PageCheck {
  /** The deployment that the log was compared with: that of its own groups. */
  readonly deployment: Deployment;
  /** The rules that the log breaks, in the order of the rules. */
  readonly rules: readonly RuleViolations[];
}

/** Formats the findings of a check, by rule. @param check the reason in place of a check, where the log was not checked */
export function formatFindings({ foreign, incomplete }: LogCounts, check: PageCheck | string): Markup {
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
