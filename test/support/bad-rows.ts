import { encodeText } from '../../src/log/byte-string.js';

const QUOTE =
  'a quote is not closed on its line, or its cell is not quoted as a whole; quote the whole cell, and write a quote in it as ""';
const NO_TIMESTAMP =
  'is not a timestamp; give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time';
const CONTROL = 'holds a space or a control character; percent-encode it (a space is %20)';
const NO_TARGET = 'is not a request target; start it with / or http://';
const NO_HOST = 'names no host; give a host, as in http://host/mail/, or only the path';

const time = (shown: string, problem: string): string => `timestamp "${shown}" (column 1) ${problem}`;
const target = (shown: string, problem: string): string => `request_target "${shown}" (column 2) ${problem}`;

/** Every kind of bad row: what it is, the row, its message after `r.csv:2: `. */
export const BAD_ROWS: readonly (readonly [what: string, row: string, message: string])[] = [
  ['one cell', '1747562400', 'the row has 1 cell instead of 2: column 2 is missing; give every cell, even if it is empty'],
  ['semicolons', '1747562400;/mail/', 'the row has semicolons or tabs instead of commas; separate cells with commas'],
  ['tabs', '1747562400\t/mail/', 'the row has semicolons or tabs instead of commas; separate cells with commas'],
  ['too many cells', '1747562400,/a,b', 'the row has 3 cells instead of 2: column 3 is "b"; quote a cell that holds a comma'],
  ['an unclosed quote', '1747562400,"/a', QUOTE],
  ['a quote in a cell', '1747562400,/a"b', QUOTE],
  [
    'a line of an access log',
    '192.0.2.7 - - [18/May/2025:12:00:00 +0200] "GET /mail/ HTTP/1.1" 200 12 "-" "Mozilla/5.0 (KHTML, like Gecko)"',
    'it is a line of an access log; give options.from: access-log',
  ],
  [
    'a record of the log',
    '[03-Mar-2025 08:12:04 +0100]: PHP Error: Failed to load plugin file /p/a/a.php in /p/l.php on line 193 (GET /mail/)',
    'it is a record of the log; convert the log with webmail-diaglog parse',
  ],
  ['text after a quoted cell', '1747562400,"/a"b', QUOTE],
  ['a blank before a quote', '1747562400, "/a"', QUOTE],
  ['a lone CR', '1747562400,/a\rb', 'the line contains a carriage return; end lines with LF or CRLF'],
  ['two CRs', '1747562400,/a\r\r', 'the line contains a carriage return; end lines with LF or CRLF'],
  ['a line of more than 1 MiB', `1747562400,/${'x'.repeat(1 << 20)}`, 'the line is longer than 1 MiB; shorten it'],
  ['no timestamp', ',/mail/', time('', NO_TIMESTAMP)],
  ['a word as timestamp', 'noon,/mail/', time('noon', NO_TIMESTAMP)],
  ['a blank in the timestamp cell', ' 1747562400,/mail/', time(' 1747562400', NO_TIMESTAMP)],
  ['30 February', '2025-02-30,/mail/', time('2025-02-30', 'is not a valid time; check date, time and offset')],
  [
    'the spring gap',
    '2025-03-30T02:30:00,/mail/',
    time('2025-03-30T02:30:00', 'does not exist in the time zone: clocks were set forward over it; give the UTC offset too'),
  ],
  ['1969', '1969-12-31T23:59:59Z,/mail/', time('1969-12-31T23:59:59Z', 'is before 1970-01-01T00:00:00Z; give a later time')],
  [
    'the year 10000',
    '253402300800,/mail/',
    time(
      '253402300800',
      'is after the year 9999; give an earlier time (Unix time in seconds, or with 13 digits in milliseconds)',
    ),
  ],
  ['no target', '1747562400,', target('', 'is empty; give a path such as /mail/')],
  ['a target without a slash', '1747562400,mail/', target('mail/', NO_TARGET)],
  ['another scheme', '1747562400,ftp://h/', target('ftp://h/', NO_TARGET)],
  ['no host', '1747562400,http:///mail/', target('http:///mail/', NO_HOST)],
  ['no host and no path', '1747562400,HTTPS://', target('HTTPS://', NO_HOST)],
  ['no host before a query', '1747562400,http://?a', target('http://?a', NO_HOST)],
  ...['{"timestamp": "2025-05-18", "request_target": "/mail/"}', '["2025-05-18","/mail/"]', ' {', '{}', '[{"target":"/"},'].map(
    (line) =>
      [
        `JSON: ${line}`,
        line,
        "it is a line of JSON; convert it to CSV, such as with jq -r '[.timestamp, .http_method, .request_target] | @csv'",
      ] as const,
  ),
  ['a space', '1747562400,/a b', target('/a b', CONTROL)],
  ['a space at the end', '1747562400,/a ', target('/a ', 'has leading or trailing whitespace; remove the whitespace')],
  ['a TAB before it', '1747562400,\t/a', target('\\t/a', 'has leading or trailing whitespace; remove the whitespace')],
  ['blanks that would take quadratic time', `1747562400,/a${' '.repeat(1_000_000)}b`, target(`/a${' '.repeat(58)}…`, CONTROL)],
  ['a TAB', '1747562400,/a\tb', target('/a\\tb', CONTROL)],
  ['a NUL', '1747562400,/a\0b', target('/a\\x00b', CONTROL)],
  ['DEL', '1747562400,/\x7f', target('/\\x7f', CONTROL)],
  ['a terminal escape', '1747562400,/\x1b[2J', target('/\\x1b[2J', CONTROL)],
  ['bytes of no encoding', '1747562400,\xff\x9b', target('\\xff\\x9b', NO_TARGET)],
  ['letters that hide', `1747562400,${encodeText('ż\u202e\u2028')}`, target('ż\\u{202e}\\u{2028}', NO_TARGET)],
  ['much of it', `1747562400,${'é'.repeat(70)}`, target(`${'\\xe9'.repeat(60)}…`, NO_TARGET)],
];
