import { refuseUse } from '../../errors.js';
import { FRAMINGS } from '../../output/address.js';
import { ROTATION_METHODS, type Rotation } from '../../output/rotation.js';
import type { Kinds } from '../../wording.js';
import { firstGiven, type Arguments, type Given, type OptionDefinition, type Options } from './option.js';
import { DURATION, ENVELOPE_NAME, FILE, kindOf, LINES, listOf, oneOf, SIZE, STDOUT, TIMES } from './values.js';

export const OUTPUT = {
  output: {
    short: 'o',
    value: FILE,
    meaning: 'append to a file instead of writing to stdout',
    page: 'operation.md#appending-to-a-file',
  },
  quiet: { meaning: 'show no progress on a terminal', page: 'operation.md#progress' },
} satisfies Options;

export const FRAMING = {
  value: oneOf('framing', FRAMINGS),
  meaning: 'on a socket, end each record in LF, or write its length before it',
  otherwise: FRAMINGS[0],
  page: 'operation.md#sockets',
} satisfies OptionDefinition;

/** The argument of every command that reads logs, which `openLogs` opens. */
export const LOGS = {
  log: { repeated: true, meaning: 'the log, or several that are read as one; standard input if omitted or -' },
} as const satisfies Arguments;

export const LOG_READING = {
  envelope: {
    value: ENVELOPE_NAME,
    meaning: 'insist on what containers or syslog put around each record; none: read lines as they are',
    otherwise: 'as recognised',
    page: 'containers.md',
  },
  ...OUTPUT,
} satisfies Options;

const DEFAULT_MAX = 100;

/**
 * The options of a report of findings.
 * @param allowed what `--allow` accepts: `violations of these rules`
 * @param limited what `--max` limits: `violations; all are counted`
 */
export function findingOptions<Kind extends string>(
  placeholder: string,
  kinds: Readonly<Record<Kind, Kinds[string]>>,
  allowed: string,
  limited: string,
) {
  return {
    allow: {
      value: listOf(placeholder, kinds),
      meaning: `accept ${allowed}, separated by commas; may be repeated`,
      detail: 'They are counted, but not reported.',
    },
    max: { value: LINES, meaning: `write at most this many ${limited}`, default: DEFAULT_MAX },
    json: { meaning: 'write NDJSON, for machines' },
  } satisfies Options;
}

const DEFAULT_KEEP = 5;

const PAGE = 'operation.md#rotation';

/** The options of rotation. @param file the file, as help names it */
export function rotationOptions(file = 'the file of -o') {
  return {
    rotate: {
      value: SIZE,
      meaning: `rotate ${file} before it grows beyond this size: 64KiB, 10MB, 2GB`,
      detail: 'A larger group has a file of its own.',
      page: PAGE,
    },
    rotateEvery: {
      value: DURATION,
      meaning: `rotate ${file} at this interval: 15m, 1h, 7d`,
      detail: 'Before the first group after each interval, in real time since the start.',
      page: PAGE,
    },
    rotateKeep: {
      value: TIMES,
      meaning: 'number of rotated files to keep, or "forever"',
      otherwise: String(DEFAULT_KEEP),
      page: PAGE,
    },
    rotateHow: {
      value: kindOf('method', ROTATION_METHODS),
      meaning: 'rename the file (default), or copy and truncate it',
      detail: 'With `copytruncate`, processes that have it open keep the same file.',
      page: PAGE,
    },
  } satisfies Options;
}

/** Resolves the rotation of the file of `-o`, if it is rotated. @throws CallError for standard output, and for options without effect */
export function resolveRotation(
  { rotate, rotateEvery, rotateKeep, rotateHow }: Given<ReturnType<typeof rotationOptions>>,
  output: string = STDOUT,
): Rotation | undefined {
  if (rotate === undefined && rotateEvery === undefined) {
    const useless = firstGiven({ rotateKeep, rotateHow }, 'rotateKeep', 'rotateHow');
    if (useless === undefined) return undefined;
    throw refuseUse(useless, 'has no effect without rotation', 'give --rotate or --rotate-every too');
  }
  if (output === STDOUT)
    throw refuseUse(rotate === undefined ? 'rotateEvery' : 'rotate', 'standard output cannot be rotated', 'name a file with -o');
  return {
    maxBytes: rotate ?? Infinity,
    everyMs: rotateEvery ?? Infinity,
    now: () => performance.now(),
    keep: rotateKeep ?? DEFAULT_KEEP,
    method: rotateHow ?? 'rename',
  };
}
