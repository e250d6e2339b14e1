import { ENDED, type CommandDefinition } from '../options/option.js';
import { LOG_READING, LOGS } from '../options/output.js';
import { FILE } from '../options/values.js';

export const COMMAND = {
  name: 'stats',
  summary: 'summarizes a log',
  description: 'Summarizes a log: its span, groups and records, requests by target, and requests over time.',
  arguments: LOGS,
  options: {
    json: { meaning: 'write the report as one line of JSON' },
    html: {
      value: FILE,
      meaning: 'write an HTML page to this file; with -, to stdout instead of the report',
      page: 'stats.md#a-page-for-a-browser',
    },
    ...LOG_READING,
  },
  help: `The report is as wide as the terminal; in a file or a pipe it is plain ASCII, 80
columns wide. It counts incomplete groups, foreign lines (those that are not
records of this log) and steps back in time, with their first lines. Foreign
messages that differ only in numbers, names and addresses are counted as one.

The page of --html holds the report and what check --infer finds. It loads
nothing from the network, and replaces its file in one step. The report still
goes to stdout.

Several logs are read as one, in the order of their times; gzip is unpacked.`,
  examples: [
    'webmail-diaglog stats error.log',
    'webmail-diaglog stats error.log*',
    'webmail-diaglog stats --html report.html error.log',
    "webmail-diaglog stats --json error.log | jq '.targets[0]'",
  ],
  exit: { 0: 'done', 1: 'the log is at fault', ...ENDED },
} satisfies CommandDefinition;
