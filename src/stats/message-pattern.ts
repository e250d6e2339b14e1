/** The part of a message that is compared, in bytes. */
const COMPARED_BYTES = 1024;

/** The beginnings of a message: the webmail's or PHP's stamp, with or without a zone, or the name of the log; then the session's id. */
const STAMP = /^(?:\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d(?: [^\]]*)?\]:?|errors:) /;
const SESSION = /^<[0-9A-Za-z,-]+> /;

/** The message of PHP or of the webmail inside a line of nginx, Apache or FPM, in quotes that a cut line does not close. */
const PASSED_ON = [
  /^.*?FastCGI sent in stderr: "(?:PHP message: )?([^"]+?)(?:"(?: while .*)?)?$/,
  /^.*?AH01071: Got error '(?:PHP message: )?(.+?)'?$/,
  /^.*? said into std(?:err|out): "(?:NOTICE: PHP message: |errors: )?(.+?)"?$/,
];

/** The request descriptor that ends a message of the webmail, before a CR if there is one; its end may have been cut off. */
const DESCRIPTOR = / \([A-Z]+ \S+\r?$/;

/**
 * A failed login: the user, the host, the client and its forwarded addresses, which hold whatever a client sends. The host is missing
 * before Roundcube 1.4, the space before the forwarded addresses before 1.5.
 */
const LOGIN = /Login failed for (?:(?:.*( against )\S+|.*) from \S+? ?\(.*\)|(?:.*( against )\S+|.*) from \S+)\. /;

/** Parts that differ from one occurrence of a message to the next; each is replaced by `*`, or by what stands beside it. */
const VARYING: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Quoted values; an apostrophe within a word begins none.
  [/(?<!\w)'[^']*'/g, "'*'"],
  [/"[^"]*"/g, '"*"'],
  // Folders of a path, on Windows too: its last part tells the file.
  [/(?:\b[A-Za-z]:)?(?:[\\/][^\s\\/:()'"]+)+[\\/](?=[^\s\\/:()'"])/g, ''],
  // Addresses: mail, IPv4 and IPv6, with their ports. A search for mail begins only where a word does: else it takes quadratic time.
  [/(?<![^\s<>(),;:'"])[^\s<>(),;:'"@]+@[^\s<>(),;:'"]+/g, '*'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '*'],
  [/(?<![\w:])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])\]?(?::\d+)?/gi, '*'],
  // Hexadecimal names, and all other digits.
  [/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, '*'],
  [/\d+/g, '*'],
  [/\*(?:[.:,-]?\*)+/g, '*'],
];

/**
 * The text that occurrences of a message have in common: without stamp, session, request and the folders of paths, with `*` for digits,
 * addresses, the user of a failed login and quoted values. Takes a line that is not a record of the log, a byte string.
 */
export function messagePatternOf(line: string): string {
  const compared = line.slice(0, COMPARED_BYTES);
  const passedOn = PASSED_ON.find((form) => form.test(compared));
  const message = (passedOn === undefined ? compared : compared.replace(passedOn, '$1')).replace(STAMP, '').replace(SESSION, '');
  const common = message
    .replace(DESCRIPTOR, '')
    .replace(
      LOGIN,
      (_login, proxied?: string, direct?: string) => `Login failed for *${(proxied ?? direct) ? ' against *' : ''} from *. `,
    );
  return VARYING.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), common).trim();
}
