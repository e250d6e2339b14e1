import { createHash } from 'node:crypto';
import type { Deployment } from '../../log/deployment.js';
import { nameSources, type LinePlaces } from '../../reading/line-places.js';
import { formatCount } from '../../wording.js';
import type { LogCounts } from '../count-log.js';
import { factsOf } from '../facts.js';
import { fitMiddle } from '../fit-text.js';
import { messageRows, targetRows, targetsHeading, type Row } from '../rows.js';
import { formatTraffic, percent } from './chart.js';
import { markup, NOTHING, type Markup } from './markup.js';
import { STYLE_SHEET } from './style-sheet.js';

/** The charset of a page is UTF-8. */
const CHARSET = { isPlain: false };

/** Longer targets are cut in their middle. */
const MAX_TARGET_COLUMNS = 240;

/** What a check of the log found. */
export interface PageCheck {
  /** The deployment that the log was held against: that of its first complete group. */
  readonly deployment: Deployment;
  /** The rules that the log breaks, in the order of the rules. */
  readonly rules: readonly PageRule[];
}

/** A rule that a log breaks. */
export interface PageRule {
  readonly rule: string;
  /** The sections of the specification behind the rule. */
  readonly sections: string;
  /** The number of violations. */
  readonly count: number;
  /** The first violations as `check` writes them, without LF. */
  readonly examples: readonly string[];
}

/** What a page shows. */
export interface PageContent {
  readonly counts: LogCounts;
  /** Of the files of the log. */
  readonly places: LinePlaces;
  /** What a check found, or the reason why the log was not checked. */
  readonly check: PageCheck | string;
}

/**
 * Formats the counts and the findings of a log as an HTML page in UTF-8; ends in LF. The page stands alone: it loads nothing, runs no
 * script, and its Content-Security-Policy forbids both. Every text of the log is escaped.
 */
export function formatPage({ counts, places, check }: PageContent): string {
  const names = nameSources(places);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${names} · webmail-diaglog stats</title>
${STYLE}
</head>
<body>
<header>
<h1>${names}</h1>
${formatSpan(counts)}
${counts.failure === undefined ? NOTHING : markup`<p class="notice" role="note">The log was read only in part: ${counts.failure.message}</p>`}
${formatTiles(counts, check)}
</header>
<main>
${
  counts.groups === 0
    ? NOTHING
    : markup`<section aria-labelledby="traffic">
<h2 id="traffic">Traffic</h2>
${formatTraffic(counts.timeline)}
</section>
<section class="long" aria-labelledby="targets">
<h2 id="targets">${targetsHeading(counts)}</h2>
${formatTargets(counts)}
</section>`
}
<section class="long" aria-labelledby="findings">
<h2 id="findings">Held against the specification</h2>
${typeof check === 'string' ? markup`<p>Not checked: ${check}.</p>` : formatCheck(check)}
</section>
${
  counts.foreign.count === 0
    ? NOTHING
    : markup`<section class="long" aria-labelledby="messages">
<h2 id="messages">Foreign messages</h2>
${formatMessages(counts)}
</section>`
}
<section aria-labelledby="facts">
<h2 id="facts">In numbers</h2>
<dl>
${factsOf(counts, places, CHARSET).map(([name, fact]) => markup`<dt>${name}</dt><dd>${fact}</dd>`)}
</dl>
</section>
</main>
<footer>Written by <code>webmail-diaglog stats --html</code>. Text from the log is escaped.</footer>
</body>
</html>
`;
  return page.source;
}

/** The style sheet as it stands on the page: of our own text, not to be escaped. */
const STYLE: Markup = { source: `<style>${STYLE_SHEET}</style>` };

/** The policy of the page: it loads nothing, and has no style but its own. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE_SHEET).digest('base64')}'; base-uri 'none'; form-action 'none'`;

function formatSpan({ first, last }: LogCounts): Markup {
  if (first === undefined || last === undefined) return markup`<p class="quiet">No complete group.</p>`;
  const from = `${first.timestamp} ${first.utcOffset}`;
  const until = `${last.timestamp} ${last.utcOffset}`;
  return markup`<p class="quiet">${from === until ? from : `${from} to ${until}`}</p>`;
}

function formatTiles(counts: LogCounts, check: PageCheck | string): Markup {
  const tiles = [
    formatTile(counts.groups, 'request'),
    formatTile(counts.records, 'record'),
    formatTile(counts.foreign.count, 'foreign line'),
  ];
  if (typeof check !== 'string') tiles.push(formatTile(totalOf(check), 'violation'));
  return markup`<ul class="tiles">
${tiles}
</ul>`;
}

function formatTile(count: number, noun: string): Markup {
  return markup`<li><strong>${formatCount(count)}</strong> ${noun}${count === 1 ? '' : 's'}</li>`;
}

function formatTargets(counts: LogCounts): Markup {
  const rows = targetRows(counts, CHARSET);
  const most = Math.max(...rows.map(({ count }) => count));
  return markup`<table>
<thead><tr><th scope="col">Target</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
${rows.map(
  ({
    label,
    count,
  }) => markup`<tr><td><code>${fitMiddle(label, MAX_TARGET_COLUMNS, CHARSET)}</code>${formatBar(count / most)}</td>
<td class="number">${formatCount(count)}</td><td class="number">${((100 * count) / counts.groups).toFixed(1)} %</td></tr>`,
)}
</tbody>
</table>`;
}

/** A horizontal bar. Its number stands beside it, so it is hidden from screen readers. */
function formatBar(share: number): Markup {
  return markup`<svg class="bar" aria-hidden="true"><rect width="${percent(share)}" height="4" rx="2"/></svg>`;
}

function formatCheck({ deployment, rules }: PageCheck): Markup {
  const { installRoot, timezone, plugins } = deployment;
  const installation = markup`<p class="quiet">As <code>check --infer</code> holds it: against the installation of its first complete group,
<code>${installRoot}</code> in ${timezone} with ${plugins.length} plugin${plugins.length === 1 ? '' : 's'}.</p>`;
  if (rules.length === 0)
    return markup`${installation}
<p>No violations.</p>`;
  return markup`${installation}
<table>
<thead><tr><th scope="col">Rule, and its sections of the specification</th><th scope="col" class="number">Violations</th></tr></thead>
${rules.map(formatRule)}
</table>`;
}

function formatRule({ rule, sections, count, examples }: PageRule): Markup {
  const more = count - examples.length;
  const rest = more > 0 ? markup`<li class="quiet">and ${formatCount(more)} more</li>` : NOTHING;
  return markup`<tbody>
<tr><th scope="row">${rule} <span class="quiet">${sections}</span></th><td class="number">${formatCount(count)}</td></tr>
<tr class="examples"><td colspan="2"><ul>
${examples.map((example) => markup`<li><code>${example}</code></li>`)}${rest}
</ul></td></tr>
</tbody>`;
}

function totalOf({ rules }: PageCheck): number {
  return rules.reduce((sum, { count }) => sum + count, 0);
}

function formatMessages(counts: LogCounts): Markup {
  return markup`<table>
<caption>Lines that are not records of this log, counted by what they have in common; <code>*</code> stands for what varies.</caption>
<thead><tr><th scope="col">Message</th><th scope="col" class="number">Times</th></tr></thead>
<tbody>
${messageRows(counts, CHARSET).map(({ label, count }: Row) => markup`<tr><td><code>${label}</code></td><td class="number">${formatCount(count)}</td></tr>`)}
</tbody>
</table>`;
}
