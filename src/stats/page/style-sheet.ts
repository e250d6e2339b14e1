/**
 * The style of a page: the fonts of the system, one accent colour, light and dark as the reader's system is. Text has a contrast of at
 * least 4.5:1 to its background (WCAG 2.2, AA), bars 3:1.
 */
export const STYLE_SHEET = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f5f7f9; --line: #d9dfe5; --ink: #1b2229; --quiet: #586470; --accent: #0a66c2;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #11161c; --panel: #1a2129; --line: #313b46; --ink: #e4e9ee; --quiet: #9aa7b4; --accent: #62aaf5; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 64rem; padding: 2rem 1.5rem 3rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
}
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 0 0 .25rem; font-size: 1.1rem; line-height: 1.3; font-weight: 650; }
p { margin: 0 0 1rem; }
header p { margin: .35rem 0 0; }
section { margin-top: 2.5rem; }
.quiet, caption, thead th, dt, figcaption, footer { color: var(--quiet); }
.notice { margin: 1rem 0 0; padding: .6rem 1rem; border-left: 3px solid var(--accent); background: var(--panel); overflow-wrap: anywhere; }
code {
  font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  overflow-wrap: anywhere; unicode-bidi: isolate;
}

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.5rem 0 0; padding: 0; list-style: none; }
.tiles li { padding: .75rem 1rem; border-radius: .5rem; background: var(--panel); color: var(--quiet); line-height: 1.35; }
.tiles strong { display: block; color: var(--ink); font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }

figure { margin: 0; }
.chart { display: block; margin: 1.25rem 0 .5rem 4.5rem; width: calc(100% - 4.5rem); height: 16rem; overflow: visible; }
.chart.narrow { margin-left: 3rem; width: calc(100% - 3rem); }
.chart .grid { stroke: var(--line); }
.chart .base { stroke: var(--quiet); }
.chart rect, .bar rect { fill: var(--accent); }
.chart rect:hover { fill: var(--ink); }
.chart text { fill: var(--quiet); font-size: .8rem; font-variant-numeric: tabular-nums; }
.chart .count { text-anchor: end; }
.chart .label { text-anchor: middle; }
summary { display: inline-block; padding: .25rem 0; color: var(--accent); cursor: pointer; }
summary:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

.scroll { max-height: 22rem; overflow: auto; }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; padding-bottom: .5rem; }
th, td { padding: .35rem 0 .35rem 1rem; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
th:first-child, td:first-child { padding-left: 0; }
thead th { border-top: 0; font-size: .875rem; }
tbody th { font-weight: 600; }
tbody th span { font-weight: 400; font-size: .875rem; }
tbody td:first-child { width: 99%; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bar { display: block; margin: .15rem 0; width: 100%; height: 4px; }
.examples td { border-top: 0; padding-top: 0; }
.examples ul { margin: 0; padding: 0; list-style: none; }
.examples li { padding: .1rem 0 .1rem .9rem; border-left: 2px solid var(--line); }
.times td:first-child { width: auto; }

dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
footer { margin-top: 3rem; padding-top: .75rem; border-top: 1px solid var(--line); font-size: .875rem; }

@media (max-width: 40rem) {
  body { padding: 1.25rem 1rem 2rem; }
  h1 { font-size: 1.35rem; }
  .chart .spare { display: none; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .tiles strong { font-size: 1.25rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; }
}
@media print {
  :root { --ground: #ffffff; --panel: #ffffff; --line: #c8ced4; --ink: #000000; --quiet: #444444; --accent: #0a66c2; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .tiles li { border: 1px solid var(--line); }
  figure, tr, dl, .rule { break-inside: avoid; }
  h2, thead, caption { break-after: avoid; }
  details { display: none; }
  .chart rect, .bar rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
