import type { Command } from 'commander';
import type { Rule } from '../../check/rules.js';
import { addCheckOptions, resolveCheck } from './options.js';

const MEANINGS: Readonly<Record<Rule, string>> = {
  foreign: 'a line of neither kind, half a record, another runtime tag',
  'plugin-order': 'a plugin that is not the next one of the list, or not in it',
  incomplete: 'a group in which records are missing',
  interleaved: 'a group that begins before another one has ended',
  timestamp: 'another timestamp than that of the group',
  offset: "not the time zone's UTC offset at that time",
  timezone: 'another time zone',
  path: 'another path of a plugin, the loader or the session component',
  'line-number': 'another line number of the loader or the session component',
  descriptor: 'another request descriptor than that of the group',
  backwards: 'a group that is earlier than the one above it',
  ending: 'no LF at the end of the log, or a CR before an LF',
};

const HELP = `
A line for each violation, SOURCE:LINE: rule: what is there; what belongs there.
Then a summary. The rules:
${Object.entries(MEANINGS)
  .map(([rule, meaning]) => `  ${rule.padEnd(13)} ${meaning}`)
  .join('\n')}

--json writes NDJSON. Each violation is
  {"kind":"violation","source","line","rule","section","found","expected"}
and the last line is
  {"kind":"summary","source","lines","groups","violations","shown","rules",
   "allowed"}
"found" and "expected" are values of the log, unchanged, or words where there is
no value. "group_line" is the first line of the group that is meant; "missing",
the records that are missing in a group.

The log is held against the deployment as given; both dialects are accepted. In
the log of another installation nearly every line is a violation: the summary
says so, and --infer takes the deployment from the log.

Several logs are read as one, in the order of their times; gzip is unpacked.

Examples:
  webmail-diaglog check error.log
  webmail-diaglog check --infer --allow interleaved,foreign error.log*
  webmail-diaglog parse --as deployment error.log > site.json
  webmail-diaglog check --deployment site.json error.log
  webmail-diaglog check --allow interleaved,foreign error.log
  webmail-diaglog replay requests.csv | webmail-diaglog check
  webmail-diaglog check --json error.log | jq -c 'select(.rule == "path")'

Exit codes: 0 nothing found that is not allowed, 1 something found, 2 the call
or the environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `check`. */
export function addCheckCommand(program: Command): void {
  addCheckOptions(program.command('check'))
    .summary('the log, held against the specification')
    .description('Holds a log against the specification, and says where it differs.')
    .addHelpText('after', HELP)
    .action(async (files, raw) => {
      const options = resolveCheck(raw);
      const { runCheck } = await import('./run.js');
      await runCheck(files, options);
    });
}
