import { createHash } from 'node:crypto';
import { encodeText } from '../log/byte-string.js';

const STYLE = 'body{margin:2em;font-family:sans-serif}pre{white-space:pre-wrap;overflow-wrap:anywhere}';

/** Nothing is loaded, nothing is run, and of styles only the page's own is taken: what a target brings stays text. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every page, but for its length: names and values in turn, as `writeHead` takes them. */
export const PAGE_HEADERS = [
  'Content-Type',
  'text/html; charset=utf-8',
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  CONTENT_SECURITY_POLICY,
] as const;

const HEAD = encodeText(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>webmail-diaglog</title>
<style>${STYLE}</style>
</head>
<body>
`);

const TAIL = '</body>\n</html>\n';

const BEFORE_GROUP = `<h1>Logged</h1>
<p>This is webmail-diaglog, a stand-in for a webmail: it has no mail, it only writes the webmail's diagnostic log.
For this request it has appended this group:</p>
<pre>`;

/**
 * The page that shows a group just logged: a byte string, to be sent as it is. The group's bytes stand in it unchanged but for `&`,
 * `<` and `>`; a browser reads them as UTF-8 and shows U+FFFD for what is none.
 *
 * @param group a byte string
 */
export function formatGroupPage(group: string): string {
  return `${HEAD}${BEFORE_GROUP}${escapeHtml(group)}</pre>\n${TAIL}`;
}

/** A page that says in a sentence or two why there is no group. A byte string; both texts are escaped. */
export function formatRefusalPage(title: string, explanation: string): string {
  return `${HEAD}<h1>${encodeText(escapeHtml(title))}</h1>\n<p>${encodeText(escapeHtml(explanation))}</p>\n${TAIL}`;
}

const SPECIAL = /[&<>]/;

/** Escapes what is markup between tags; attributes hold no such text. */
function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
