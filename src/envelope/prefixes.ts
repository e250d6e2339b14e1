import { RFC3164, RFC3339 } from './envelope-time.js';

/** A line of an envelope, in byte strings. */
export interface Opened {
  /** The record, or the piece of one, without an LF. */
  readonly inside: string;
  /** The envelope, with the form of its stamps: files of one form can be compared line by line. */
  readonly form: string;
  /** The output of the container that the record went to; empty where there is none. Pieces are joined by it. */
  readonly stream: string;
  /** True for a piece that does not end its record. */
  readonly hasMore: boolean;
  readonly time: string;
}

type Prefix = Omit<Opened, 'inside'>;

/**
 * Opens lines by what stands before their text; most have the prefix of the line before. @param pattern has groups `time` or
 * `time3339`, `stream`, `tag`
 */
function opensPrefix(form: string, pattern: string): (line: string) => Opened | undefined {
  const prefixPattern = new RegExp(`^${pattern}`);
  let text = '';
  let prefix: Prefix | undefined;
  return (line) => {
    if (prefix === undefined || !line.startsWith(text)) {
      const match = prefixPattern.exec(line);
      if (match?.groups === undefined) return undefined;
      const { time3339, time = time3339 ?? '', stream = '', tag } = match.groups;
      [text] = match;
      // Files of syslog may hold stamps of either form.
      prefix = { form: time3339 === undefined ? form : `${form} with RFC 3339`, stream, hasMore: tag === 'P', time };
    }
    const { stream, hasMore, time } = prefix;
    return { inside: line.slice(text.length), form: prefix.form, stream, hasMore, time };
  };
}

const HOST = String.raw`(?!\[)\S*[^\s:] `;

/** The time and the host, which the stamp of RFC 3164 has not where a local socket is read. */
const STAMP = `(?:(?<time>${RFC3164}) (?:${HOST})?|(?<time3339>${RFC3339}) ${HOST})`;

const PROGRAM = String.raw`[^\s:[\]]+(?:\[\d+\])?: ?`;

const PRIORITY = String.raw`<\d{1,3}>`;

/** The text of a structured datum may hold `]` behind a backslash. */
const STRUCTURED = String.raw`(?:-|(?:\[(?:[^\]\\]|\\.)*\])+)`;

/** `2025-05-18T10:00:00.123Z stderr F <record>`; `P` for a piece but the last. */
export const openCri = opensPrefix('cri', `(?<time>${RFC3339}) (?<stream>stdout|stderr) (?<tag>[PF]) `);

/** `May 18 12:00:00 webmail roundcube: <record>`, also with a stamp of RFC 3339. */
export const openSyslog = opensPrefix('syslog', `${STAMP}${PROGRAM}`);

/** The same behind a priority, as it is sent. */
export const openRfc3164 = opensPrefix('rfc3164', `${PRIORITY}${STAMP}${PROGRAM}`);

/** `<11>1 2025-05-18T12:00:00.123+02:00 webmail roundcube - - - <record>`; the byte order mark of a message in UTF-8 is passed over. */
export const openRfc5424 = opensPrefix(
  'rfc5424',
  String.raw`(?:${PRIORITY})?1 (?<time>${RFC3339}) \S+ \S+ \S+ \S+ ${STRUCTURED} ?(?:\xef\xbb\xbf)?`,
);

/** A line of `docker logs --timestamps` or `kubectl logs --timestamps`. */
export const openTimestamped = opensPrefix('timestamps', `(?<time>${RFC3339}) `);
