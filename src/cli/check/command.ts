import { RULES } from '../../check/rules.js';
import { DEPLOYMENT } from '../options/deployment.js';
import { formatKinds } from '../options/help-text.js';
import { ENDED, type CommandDefinition } from '../options/option.js';
import { findingOptions, LOG_READING, LOGS } from '../options/output.js';

const { allow, max, json } = findingOptions('rules', RULES, 'violations of these rules', 'violations; all are counted');

export const COMMAND = {
  name: 'check',
  summary: 'checks a log against the specification',
  description: 'Checks a log against the specification and a deployment, and reports each difference.',
  arguments: LOGS,
  options: {
    allow,
    max,
    infer: {
      meaning: 'compare the log with the deployment of its own groups',
      detail: 'The first deployment that writes two of them.',
      page: 'check.md#another-installation',
    },
    json,
    ...LOG_READING,
    ...DEPLOYMENT,
  },
  help: `The report has a line for each violation, and a summary as its last line:
  SOURCE:LINE: rule: what was found; expected …

The rules:
${formatKinds(RULES)}

--json writes NDJSON. Each violation is
  {"kind":"violation","source","line","rule","section","found","expected"}
and the last line is
  {"kind":"summary","source","lines","groups","violations","shown","rules",
   "allowed"}
"found" and "expected" are values of the log, unchanged, or words where there is
no value. "group_line" is the first line of the group in question; "missing"
lists the records that are missing in a group.

The log is compared with the deployment as given; both dialects are accepted. In
the log of another installation nearly every line is a violation. The summary
then says so: give --infer, which takes the deployment from the log.

Several logs are read as one, in the order of their times; gzip is unpacked.`,
  examples: [
    'webmail-diaglog check error.log',
    'webmail-diaglog check --infer --allow interleaved,foreign error.log*',
    'webmail-diaglog parse --as deployment error.log > site.json',
    'webmail-diaglog check --deployment site.json error.log',
    'webmail-diaglog check --allow interleaved,foreign error.log',
    'webmail-diaglog replay requests.csv | webmail-diaglog check',
    `webmail-diaglog check --json error.log | jq -c 'select(.rule == "path")'`,
  ],
  exit: { 0: 'nothing found that is not allowed', 1: 'something found', ...ENDED },
} satisfies CommandDefinition;
