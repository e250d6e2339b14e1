import type { LinePlaces } from '../../reading/line-places.js';
import { formatCount } from '../../wording.js';
import type { LogCounts } from '../count-log.js';
import { factsOf } from '../facts.js';
import { messageRows, targetRows } from '../rows.js';
import { percent } from './chart.js';
import { markup, type Markup } from './markup.js';
import { CHARSET, cutName } from './names.js';

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
  return markup`<table>
<caption>Lines that are not records of this log, counted by what they have in common; <code>*</code> stands for what varies.</caption>
<thead><tr><th scope="col">Message</th><th scope="col" class="number">Times</th></tr></thead>
<tbody>
${messageRows(counts, CHARSET).map(
  ({ label, count }) => markup`<tr><td><code>${label}</code></td><td class="number">${formatCount(count)}</td></tr>`,
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
