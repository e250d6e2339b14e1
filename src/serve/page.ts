import { createHash } from 'node:crypto';
import { encodeText } from '../log/byte-string.js';
import { escapeHtml } from '../wording.js';

const STYLE = 'body{margin:2em;font-family:sans-serif}pre{white-space:pre-wrap;overflow-wrap:anywhere}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** All but the length. Only the page's own style is applied, and nothing is loaded or run, whatever is in a target. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
} as const;

const HEAD = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>webmail-diaglog</title>
<style>${STYLE}</style>
</head>
<body>
`;

const TAIL = '</body>\n</html>\n';
const BEFORE_GROUP = `${HEAD}<h1>Logged</h1>
<p>This is webmail-diaglog, a stand-in for a webmail: it has no mail, it only writes the webmail's diagnostic log.
For this request it has appended this group:</p>
<pre>`;

/**
 * Formats the page that shows a group just logged. The bytes of the group are unchanged except for `&`, `<` and `>`; a browser
 * reads them as UTF-8 and shows U+FFFD for bytes that are not.
 * @returns a byte string: node:http sends a string with the headers in one write, which took a sixth less time than a Buffer
 */
export function formatGroupPage(group: Buffer): string {
  return `${BEFORE_GROUP}${escapeHtml(group.toString('latin1'))}</pre>\n${TAIL}`;
}

/** Formats the page that explains in a sentence or two why there is no group; a byte string. Both texts are escaped. */
export function formatRefusalPage(title: string, explanation: string): string {
  return encodeText(`${HEAD}<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(explanation)}</p>\n${TAIL}`);
}
