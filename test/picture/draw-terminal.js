/** The width of the terminal in characters. */
export const COLUMNS = 108;

/** Sizes in pixels. A character of the usual monospace fonts is 0.6 of the font size wide. */
const FONT_SIZE = 13;
const COLUMN = 0.6 * FONT_SIZE;
const LINE = 18;
const STEP_GAP = 8;
const MARGIN = 20;
const TITLE_BAR = 36;

const PROMPT = '$ ';

const STYLE = `
  text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace; white-space: pre; }
  .ground { fill: #ffffff; stroke: #d9dfe5; }
  .dot { fill: #d9dfe5; }
  .prompt { fill: #0a66c2; }
  .command { fill: #1b2229; font-weight: bold; }
  .output { fill: #1b2229; }
  .message { fill: #586470; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #11161c; stroke: #313b46; }
    .dot { fill: #313b46; }
    .prompt { fill: #62aaf5; }
    .command, .output { fill: #e4e9ee; }
    .message { fill: #9aa7b4; }
  }
`;

/**
 * Draws a terminal session as SVG; ends in LF. Its texts can be selected, and its lines keep their width in any font.
 *
 * @param steps commands, each with its messages and its output as lines
 * @param title for readers who do not see the picture
 */
export function drawTerminal(steps, title) {
  let y = TITLE_BAR + FONT_SIZE;
  const drawn = [];
  for (const { command, messages, output } of steps) {
    const lines = [...toLines(PROMPT + command, 'command'), ...messages.flatMap((text) => toLines(text, 'message'))];
    for (const { text, kind } of [...lines, ...output.flatMap((line) => toLines(line, 'output'))]) {
      if (text !== '') drawn.push(drawLine(text, kind, y));
      y += LINE;
    }
    y += STEP_GAP;
  }
  const width = 2 * MARGIN + Math.ceil(COLUMNS * COLUMN);
  const height = y - STEP_GAP - LINE + MARGIN;
  const dots = [0, 1, 2].map((index) => `<circle class="dot" cx="${MARGIN + 6 + 18 * index}" cy="18" r="5"/>`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title" xml:space="preserve">
<title id="title">${escapeXml(title)}</title>
<style>${STYLE}</style>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${dots}
${drawn.join('\n')}
</svg>
`;
}

/** Breaks a text into lines as wide as the terminal. Only the first line of a command has a prompt. */
function toLines(text, kind) {
  const lines = [];
  for (let from = 0; from === 0 || from < text.length; from += COLUMNS)
    lines.push({ text: text.slice(from, from + COLUMNS), kind });
  return lines;
}

function drawLine(text, kind, y) {
  const isPrompt = kind === 'command' && text.startsWith(PROMPT);
  const spans = isPrompt
    ? `<tspan class="prompt">${PROMPT}</tspan><tspan class="command">${escapeXml(text.slice(PROMPT.length))}</tspan>`
    : escapeXml(text);
  const length = Math.round(10 * text.length * COLUMN) / 10;
  return `<text class="${kind}" x="${MARGIN}" y="${y}" textLength="${length}">${spans}</text>`;
}

function escapeXml(text) {
  return text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]);
}
