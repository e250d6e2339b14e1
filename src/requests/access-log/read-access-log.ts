import {
  requireChunks,
  requireFunction,
  requireOneOf,
  requireOptions,
  requireText,
  requireType,
  type OptionChecks,
} from '../../arguments.js';
import type { Chunks } from '../../lines.js';
import { createDeployment } from '../../log/deployment.js';
import { zoneNamed, type Zone } from '../../log/zone.js';
import { parseInstant } from '../instant.js';
import { readLines } from '../list/csv-rows.js';
import { checkMethod, checkTarget, type ListedRequest } from '../request.js';
import { pathOf, prefixOf } from '../target.js';
import { parseCommonLine, parseJsonLine, type AccessLine, type JsonKeys, type JsonValue } from './access-line.js';

/** Options of `readAccessLog`. */
export interface AccessLogOptions {
  /** The IANA name of the deployment's zone, on whose clocks years must have four digits. Default `Europe/Warsaw`. */
  readonly timezone?: string;
  /** The path prefixes of the application, without slashes at either end: `mail`. By default any path is accepted. */
  readonly prefixes?: readonly string[];
  /** `common`: the Common and Combined formats (the default); `json`: lines of JSON, as nginx (`escape=json`) and Caddy write. */
  readonly format?: 'common' | 'json';
  /** The keys of lines of JSON, or paths such as `request.uri`, where they are not those of nginx or Caddy. */
  readonly keys?: JsonKeys;
  /** The name of the file, which each request then has as `source`, for messages about several files. Default: none. */
  readonly source?: string;
  /** True to accept every well-formed line, including requests that the application did not handle. Default false. */
  readonly everyLine?: boolean;
  /** Called for each line that gives no request. */
  readonly onSkipped?: (why: SkipReason) => void;
}

/** The reason why a line gives no request: the application did not handle the request, or the line is malformed. */
export type SkipReason = 'unhandled' | 'broken';

/**
 * Reads an access log in the Common or the Combined format of nginx and Apache, or in JSON, and undoes their escapes. The application handled
 * a request if its path ends in `/` or `.php` and is under one of the prefixes. Its status must not be one that the web server gives
 * by itself. Gives requests in the order of the lines, in a batch for each block of input, possibly empty.
 * @param chunks the bytes of the log, cut anywhere; a Node stream, for example
 * @throws TypeError for an unknown option, and if the chunks are not a stream of bytes; RangeError for an unknown time zone
 * @throws what `chunks` throws; no line is an error
 */
export async function* readAccessLog(chunks: Chunks, options: AccessLogOptions = {}): AsyncGenerator<readonly ListedRequest[]> {
  requireChunks(chunks, 'chunks');
  requireOptions(options, 'options', ACCESS_LOG_OPTIONS);
  const { timezone = createDeployment().timezone, prefixes, everyLine = false, onSkipped } = options;
  const { format = 'common', keys = {}, source } = options;
  const zone = zoneNamed(timezone);
  const parse = format === 'json' ? (text: string) => parseJsonLine(text, keys) : parseCommonLine;
  const origin = source === undefined ? {} : { source };
  for await (const { text, line: firstLine, overlong } of readLines(chunks)) {
    const batch: ListedRequest[] = [];
    for (const [index, lineText] of (overlong ? [text] : text.split('\n')).entries()) {
      if (lineText === '' || lineText === '\r') continue;
      const parsed = overlong ? undefined : parse(lineText);
      const millisecond = parsed && findMoment(parsed, zone);
      if (parsed === undefined || millisecond === undefined) onSkipped?.('broken');
      else if (everyLine || isHandled(parsed, prefixes)) {
        const { method, target } = parsed;
        batch.push({ millisecond, method, target, line: firstLine + index, ...origin });
      } else onSkipped?.('unhandled');
    }
    yield batch;
  }
}

const KEY_CHECKS: OptionChecks<JsonValue> = { time: requireText, method: requireText, target: requireText, status: requireText };

const ACCESS_LOG_OPTIONS: OptionChecks<keyof AccessLogOptions> = {
  timezone: requireText,
  prefixes: (value, name) => {
    if (!Array.isArray(value)) throw new TypeError(`${name} is not an array of path prefixes; give one such as ['mail']`);
    for (const prefix of value) requireText(prefix, `a prefix in ${name}`);
  },
  format: requireOneOf(['common', 'json']),
  keys: (value, name) => {
    requireOptions(value, name, KEY_CHECKS);
  },
  source: requireText,
  everyLine: requireType('boolean'),
  onSkipped: requireFunction,
};

/** The web server gives these by itself, without asking the application. */
const UNHANDLED_STATUS: ReadonlySet<string> = new Set(['400', '404', '405', '408', '414']);

function findMoment({ time, method, target }: AccessLine, zone: Zone): number | undefined {
  const millisecond = parseInstant(time, zone);
  const isValid = checkMethod(method) === undefined && checkTarget(target) === undefined;
  return isValid && typeof millisecond === 'number' ? millisecond : undefined;
}

function isHandled({ target, status }: AccessLine, prefixes: readonly string[] | undefined): boolean {
  if (status !== undefined && UNHANDLED_STATUS.has(status)) return false;
  const path = pathOf(target);
  if (!path.endsWith('/') && !path.endsWith('.php')) return false;
  return prefixOf(path, prefixes) !== undefined;
}
