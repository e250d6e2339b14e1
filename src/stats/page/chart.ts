import { formatTimestamp } from '../../log/timestamp.js';
import { countOf, formatCount, formatDuration } from '../../wording.js';
import { formatStart, labelledBuckets, type Timeline } from '../timeline.js';
import { markup, NOTHING, type Markup } from './markup.js';

/** The hours of a week: on a phone each bar is two pixels wide. A chart of fewer bars keeps free slots, so that none is as wide as the page. */
const MAX_BARS = 168;
const MIN_SLOTS = 24;
const BAR_SHARE = 0.8;

/** In pixels. The style sheet leaves room for the labels. */
const HEIGHT = 224;
const MIN_BAR_HEIGHT = 2;

/** Two of three labels are left out on a phone; none is centred behind the last place, a share of the width. */
const MAX_LABELS = 7;
const LAST_LABEL = 0.93;

/** From this count on, grid lines need a wider margin for their numbers. */
const WIDE_FROM = 10_000;

export function formatTraffic(timeline: Timeline): Markup {
  const { width, buckets } = timeline.spread(MAX_BARS);
  const most = Math.max(...buckets.map(({ count }) => count));
  const step = roundStep(most);
  const top = step * Math.ceil(most / step);
  const slots = Math.max(MIN_SLOTS, buckets.length);
  const ticks = Array.from({ length: top / step + 1 }, (_, index) => index * step).map((tick) => {
    const y = (HEIGHT * (top - tick)) / top;
    const line = markup`<line class="${tick === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${pixels(y)}" y2="${pixels(y)}"/>`;
    return markup`${line}<text class="count" x="-10" y="${pixels(y + 4)}">${formatCount(tick)}</text>`;
  });
  const bars = buckets.map(({ start, count }, index) => {
    if (count === 0) return NOTHING;
    const height = Math.max(MIN_BAR_HEIGHT, (HEIGHT * count) / top);
    const across = markup`x="${percent(index / slots)}" width="${percent(BAR_SHARE / slots)}"`;
    const title = `${formatTimestamp(start, 0)}: ${countOf(count, 'request', formatCount)}`;
    return markup`<rect ${across} y="${pixels(HEIGHT - height)}" height="${pixels(height)}"><title>${title}</title></rect>`;
  });
  const labelled = labelledBuckets({ width, buckets }, Math.ceil((MAX_LABELS * buckets.length) / slots));
  const labels = labelled.flatMap(([index, { start }], order) => {
    const x = (index + BAR_SHARE / 2) / slots;
    const place = markup`class="${order % 3 > 0 ? 'label spare' : 'label'}" x="${percent(x)}" y="${pixels(HEIGHT + 20)}"`;
    return x > LAST_LABEL ? [] : [markup`<text ${place}>${formatStart(start, width)}</text>`];
  });
  const highest = `${formatCount(most)}, from ${formatTimestamp(buckets.find(({ count }) => count === most)?.start ?? 0, 0)}`;
  const intervals = `${countOf(buckets.length, 'interval')} of ${formatDuration(width)}`;
  return markup`<figure>
<figcaption>Requests per ${formatDuration(width)}, log's clock</figcaption>
<svg class="${top < WIDE_FROM ? 'chart narrow' : 'chart'}" role="img" aria-label="Bar chart of ${intervals}. The highest bar is ${highest}. Its numbers are in the table below.">
${ticks}
${bars}
${labels}
</svg>
</figure>
<details>
<summary>The chart as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Requests over time">
<table class="times">
<thead><tr><th scope="col">From</th><th scope="col" class="number">Requests</th></tr></thead>
<tbody>
${buckets.map(({ start, count }) => markup`<tr><td>${formatTimestamp(start, 0)}</td><td class="number">${formatCount(count)}</td></tr>`)}
</tbody>
</table>
</div>
</details>`;
}

/** The distance of grid lines: 1, 2 or 5 times a power of ten, so that there are at most five above zero. */
function roundStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  const step = [1, 2, 5].find((digit) => most <= 5 * digit * power) ?? 10;
  return Math.max(1, step * power);
}

function pixels(length: number): string {
  return String(Math.round(10 * length) / 10);
}

/** A share as per cent with three decimals: some hundredth of a pixel. */
export function percent(share: number): string {
  return `${String(Math.round(share * 100_000) / 1000)}%`;
}
