import { FRAMINGS } from '../../output/address.js';
import type { Arguments, OptionDefinition, Options } from './option.js';
import { ENVELOPE_NAME, FILE, oneOf } from './values.js';

/** The options of every command that writes. */
export const OUTPUT = {
  output: {
    short: 'o',
    value: FILE,
    meaning: 'append to a file instead of writing to stdout',
    page: 'operation.md#appending-to-a-file',
  },
  quiet: { meaning: 'show no progress on a terminal', page: 'operation.md#progress' },
} satisfies Options;

/** How records are told apart on a socket that the output is. */
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

/** The options of every command that reads logs. */
export const LOG_READING = {
  envelope: {
    value: ENVELOPE_NAME,
    meaning: 'insist on what containers or syslog put around each record; none: read lines as they are',
    otherwise: 'as recognised',
    page: 'containers.md',
  },
  ...OUTPUT,
} satisfies Options;
