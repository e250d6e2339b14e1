import { zoneNamed, type Zone } from '../../log/zone.js';
import { parseInstant } from '../instant.js';
import { pathOf } from '../target.js';
import { TargetCache } from '../target-cache.js';
import { readLines } from '../list/line-blocks.js';
import { findMethodFault, type ListedRequest } from '../request.js';

/** How an access log is to be read. */
export interface AccessLogOptions {
  /** IANA name of the deployment's zone, on whose clocks a time must have a year of four digits. */
  readonly timezone: string;
  /** Path prefixes of the application, without slashes; left out, it stands at every path. */
  readonly prefixes?: readonly string[];
  /** Takes every well-formed line, also those that the application did not handle. */
  readonly everyLine?: boolean;
  /** Counts the lines that give no request. */
  readonly onPassedOver?: (why: SkippedLine) => void;
}

/** Why a line of an access log gives no request: the application did not handle it, or it is no line of an access log. */
export type SkippedLine = 'unhandled' | 'broken';

/**
 * Reads an access log in the Common or the Combined format of nginx and Apache, their escapes undone. A line is a request that the
 * application handled when its path ends in `/` or `.php`, is under one of the prefixes, and its status does not say that the web
 * server answered by itself. Gives a batch of requests, in the order of the lines, for each piece of input (an empty one where it
 * brought no request). Nothing in it is fatal.
 *
 * @param chunks the bytes of the log, cut anywhere; a Node stream will do
 */
export async function* readAccessLog(
  chunks: AsyncIterable<Uint8Array>,
  { timezone, prefixes, everyLine = false, onPassedOver }: AccessLogOptions,
): AsyncGenerator<readonly ListedRequest[]> {
  const reader = new AccessLineReader(zoneNamed(timezone));
  for await (const block of readLines(chunks)) {
    const batch: ListedRequest[] = [];
    let { line } = block;
    for (const text of block.overlong ? [block.text] : splitLines(block.text)) {
      if (text !== '') {
        const entry = block.overlong ? undefined : reader.read(text, line);
        if (entry === undefined) onPassedOver?.('broken');
        else if (everyLine || isHandled(entry, prefixes)) batch.push(entry.request);
        else onPassedOver?.('unhandled');
      }
      line += 1;
    }
    yield batch;
  }
}

/** The lines of a block, without their ends; an empty one behind the last LF. */
function splitLines(text: string): string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** A well-formed line. */
interface Entry {
  readonly request: ListedRequest;
  readonly status: string;
}

/** What stands before the request: `host ident user [18/May/2025:12:00:00 +0200] "`. A user may hold anything; its quotes are escaped. */
const HEAD = /^\S+ \S+ .*?\[(\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "/;
/** What stands behind it: `" 200 1234`, and anything after a blank (the Combined format's referrer and agent). */
const TAIL = /^" (\d{3}) (?:\d+|-)(?: |$)/;
/** `GET /mail/ HTTP/1.1` */
const REQUEST = /^(\S+) (\S+) HTTP\/\d(?:\.\d)?$/;

/** Whether a line begins as that of an access log does. */
export function isAccessLine(text: string): boolean {
  return HEAD.test(text);
}

class AccessLineReader {
  readonly #zone: Zone;
  readonly #targets = new TargetCache();

  constructor(zone: Zone) {
    this.#zone = zone;
  }

  /** Reads a line; undefined if it is broken. */
  read(text: string, line: number): Entry | undefined {
    const head = HEAD.exec(text);
    if (head === null) return undefined;
    const [before, timestamp = ''] = head;
    const end = findClosingQuote(text, before.length);
    const status = TAIL.exec(text.slice(end))?.[1];
    const request = REQUEST.exec(text.slice(before.length, end));
    if (status === undefined || request === null) return undefined;
    const method = unescape(request[1] ?? '');
    const target = this.#targets.check(unescape(request[2] ?? ''));
    const millisecond = parseInstant(timestamp, this.#zone);
    if (findMethodFault(method) !== undefined || typeof target !== 'string' || typeof millisecond !== 'number') return undefined;
    return { request: { millisecond, method, target, line }, status };
  }
}

/** Where the quote stands that closes the one before `from`: the first that no backslash escapes; the text's end if none does. */
function findClosingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return text.length;
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|(.))/g;

/** What stands after a backslash for a control character (Apache); these make a target invalid, but `\\` and `\"` do not. */
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', v: '\v', f: '\f' };

/** Undoes the escapes of nginx (`\x22`) and Apache (`\"`, `\\`, `\xe9`, `\n`). */
function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_escape, hex: string | undefined, character: string | undefined) =>
    hex === undefined ? (CONTROLS[character ?? ''] ?? character ?? '') : String.fromCharCode(parseInt(hex, 16)),
  );
}

/** Answers that the web server gives by itself: nothing reached the application. */
const UNHANDLED_STATUS: ReadonlySet<string> = new Set(['400', '404', '405', '408', '414']);

function isHandled({ request, status }: Entry, prefixes: readonly string[] | undefined): boolean {
  if (UNHANDLED_STATUS.has(status)) return false;
  const path = pathOf(request.target);
  if (!path.endsWith('/') && !path.endsWith('.php')) return false;
  return prefixes === undefined || prefixes.some((prefix) => path.startsWith(`/${prefix}/`));
}
