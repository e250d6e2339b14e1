import type { Arguments, Options } from './option.js';
import { FILE } from './values.js';

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

/** The argument of every command that reads logs, which `openLogs` opens. */
export const LOGS = {
  log: { repeated: true, meaning: 'the log, or several that are read as one; standard input if omitted or -' },
} as const satisfies Arguments;

/** The options of every command that reads logs. */
export const LOG_READING = { ...OUTPUT } satisfies Options;
