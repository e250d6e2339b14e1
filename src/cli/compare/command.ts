import { FINDINGS } from '../../compare/findings.js';
import { COMPARISON } from '../options/comparison.js';
import { formatKinds } from '../options/help-text.js';
import { ENDED, type CommandDefinition } from '../options/option.js';
import { findingOptions, LOG_READING } from '../options/output.js';
import { DURATION } from '../options/values.js';

export const COMMAND = {
  name: 'compare',
  summary: 'compares what a pipeline delivered with what was sent',
  description: 'Compares what a pipeline delivered with the log that was sent.',
  arguments: {
    expected: { required: true, meaning: 'the log that was sent; - for standard input' },
    received: { repeated: true, meaning: 'what was delivered; standard input if omitted or -' },
  },
  options: {
    ...COMPARISON,
    wait: {
      value: DURATION,
      meaning: 'follow the files until nothing new has arrived for this long',
      page: 'compare.md#a-pipeline-that-is-running',
    },
    ...findingOptions('kinds', FINDINGS, 'findings of these kinds', 'findings; all records are counted'),
    ...LOG_READING,
  },
  help: `The report has a line for each finding, and a summary as its last line.
Consecutive records of one kind are one finding:
  SOURCE:LINE: kind: …
  SOURCE:FIRST-LAST: kind: N records; …

The kinds:
${formatKinds(FINDINGS)}

Equal records are interchangeable: any of them may be named as missing. Write
the log with --mark (synth, replay), so that no two targets are equal.

--fields checks how the pipeline parses records. Its names are the fields of
parse --as records: instant, request_target and so on.

--wait follows both sides as tail -F does, and waits for files that do not exist
yet. It ends when no file has grown for the duration: choose one longer than any
pause of the writer or the pipeline. The summary then says how long records
took. SIGINT and SIGTERM end it at once, with the report of what has arrived.`,
  examples: [
    'webmail-diaglog synth --mark r -o app.log',
    'webmail-diaglog compare app.log received.log',
    'webmail-diaglog compare app.log out.ndjson --field message',
    'webmail-diaglog compare app.log out.ndjson --fields instant=time,kind=type',
    'webmail-diaglog compare --wait 30s app.log out.ndjson --field message',
    'webmail-diaglog compare --json --max 0 app.log received.log | jq .share',
  ],
  exit: { 0: 'nothing found that is not allowed', 1: 'something found', ...ENDED },
} satisfies CommandDefinition;
