import { requireChunks, requireFunction, requireOptions, requireText, requireType, type OptionChecks } from '../../arguments.js';
import type { Chunks } from '../../lines.js';
import { createDeployment } from '../../log/deployment.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import { parseInstant } from '../instant.js';
import { pathOf, prefixOf } from '../target.js';
import { readLines } from '../list/line-blocks.js';
import { checkMethod, checkTarget, type ListedRequest } from '../request.js';

/** Options of `readAccessLog`. */
export interface AccessLogOptions {
  /** The IANA name of the deployment's zone, on whose clocks years must have four digits. Default `Europe/Warsaw`. */
  readonly timezone?: string;
  /** The path prefixes of the application, without slashes at either end: `mail`. By default any path is accepted. */
  readonly prefixes?: readonly string[];
  /** True to accept every well-formed line, including requests that the application did not handle. Default false. */
  readonly everyLine?: boolean;
  /** Called for each line that gives no request. */
  readonly onSkipped?: (why: SkipReason) => void;
}

/** The reason why a line gives no request: the application did not handle the request, or the line is malformed. */
export type SkipReason = 'unhandled' | 'broken';

/**
 * Reads an access log in the Common or the Combined format of nginx and Apache, and undoes their escapes. The application handled
 * a request if its path ends in `/` or `.php` and is under one of the prefixes. Its status must not be one that the web server gives
 * by itself. Gives requests in the order of the lines, in a batch for each block of input, possibly empty.
 *
 * @param chunks the bytes of the log, cut anywhere; a Node stream, for example
 * @throws TypeError for an unknown option, and if the chunks are not a stream of bytes; RangeError for an unknown time zone
 * @throws what `chunks` throws; no line is an error
 */
export async function* readAccessLog(chunks: Chunks, options: AccessLogOptions = {}): AsyncGenerator<readonly ListedRequest[]> {
  requireChunks(chunks, 'chunks');
  requireOptions(options, 'options', ACCESS_LOG_OPTIONS);
  const { timezone = createDeployment().timezone, prefixes, everyLine = false, onSkipped } = options;
  const zone = zoneNamed(timezone);
  for await (const block of readLines(chunks)) {
    const batch: ListedRequest[] = [];
    let { line } = block;
    for (const text of block.overlong ? [block.text] : block.text.split('\n')) {
      if (text !== '' && text !== '\r') {
        const entry = block.overlong ? undefined : parseLine(text, line, zone);
        if (entry === undefined) onSkipped?.('broken');
        else if (everyLine || isHandled(entry, prefixes)) batch.push(entry.request);
        else onSkipped?.('unhandled');
      }
      line += 1;
    }
    yield batch;
  }
}

const ACCESS_LOG_OPTIONS: OptionChecks<keyof AccessLogOptions> = {
  timezone: requireText,
  prefixes: (value, name) => {
    if (!Array.isArray(value)) throw new TypeError(`${name} is not an array of path prefixes; give one such as ['mail']`);
    for (const prefix of value) requireText(prefix, `a prefix in ${name}`);
  },
  everyLine: requireType('boolean'),
  onSkipped: requireFunction,
};

/** A well-formed line. */
interface Entry {
  readonly request: ListedRequest;
  readonly status: string;
}

/** The fields before the request: `host ident user [18/May/2025:12:00:00 +0200] "`. A user may be any text with escaped quotes. */
const HEAD = /^\S+ \S+ .*?\[(\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "/;
/** The fields after the request: `" 200 1234`, and any text after a space (referrer and user agent in the Combined format). */
const TAIL = /^" (\d{3}) (?:\d+|-)(?: |\r?$)/;
/** `GET /mail/ HTTP/1.1` */
const REQUEST = /^(\S+) (\S+) HTTP\/\d(?:\.\d)?$/;

/** True if a line begins as in an access log. */
export function isAccessLine(text: string): boolean {
  return HEAD.test(text);
}

/** Parses a line, which may end in CR; undefined if the line is malformed. */
function parseLine(text: string, line: number, zone: Zone): Entry | undefined {
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const [before, timestamp = ''] = head;
  const end = findClosingQuote(text, before.length);
  const status = TAIL.exec(text.slice(end))?.[1];
  const request = REQUEST.exec(text.slice(before.length, end));
  if (status === undefined || request === null) return undefined;
  const method = unescape(request[1] ?? '');
  const target = unescape(request[2] ?? '');
  const millisecond = parseInstant(timestamp, zone);
  if (method === undefined || target === undefined) return undefined;
  if (checkMethod(method) !== undefined || checkTarget(target) !== undefined || typeof millisecond !== 'number') {
    return undefined;
  }
  return { request: { millisecond, method, target, line }, status };
}

/** Finds the first unescaped quote from `from` on; the end of the text if there is none. */
function findClosingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return text.length;
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|(["\\]))/g;

/**
 * Undoes the escapes of nginx (`\x22`) and Apache (`\"`, `\\`, `\xe9`).
 *
 * @returns undefined for any other escape, such as `\n`: a control character makes a target invalid
 */
function unescape(text: string): string | undefined {
  if (!text.includes('\\')) return text;
  if (text.replace(ESCAPE, '').includes('\\')) return undefined;
  return text.replace(ESCAPE, (_escape, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(parseInt(hex, 16)),
  );
}

/** Statuses that the web server gives by itself, without asking the application. */
const UNHANDLED_STATUS: ReadonlySet<string> = new Set(['400', '404', '405', '408', '414']);

function isHandled({ request, status }: Entry, prefixes: readonly string[] | undefined): boolean {
  if (UNHANDLED_STATUS.has(status)) return false;
  const path = pathOf(request.target);
  if (!path.endsWith('/') && !path.endsWith('.php')) return false;
  return prefixOf(path, prefixes) !== undefined;
}
