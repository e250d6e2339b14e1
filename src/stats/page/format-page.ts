import { createHash } from 'node:crypto';
import { formatStamp } from '../../log/timestamp.js';
import { nameSources, type LinePlaces } from '../../reading/line-places.js';
import { formatCount } from '../../wording.js';
import type { LogCounts } from '../count-log.js';
import { targetsHeading } from '../facts.js';
import { formatTraffic } from './chart.js';
import { markup, NOTHING, type Markup } from './markup.js';
import { formatFacts, formatFindings, formatMessages, formatTargets, type PageCheck } from './sections.js';
import { STYLE_SHEET } from './style-sheet.js';

/** The style sheet, an element of its own. */
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
