import type { Command } from 'commander';
import type { Rule } from '../../check/rules.js';
import { addDeploymentOptions, type RawDeploymentOptions } from '../options/deployment-options.js';

/** The options as given. */
export interface RawCheckOptions extends RawDeploymentOptions {
  /** Each time that it was given. */
  readonly allow?: readonly string[];
  readonly max: string;
  readonly json?: true;
  readonly output?: string;
}

const MEANINGS: Readonly<Record<Rule, string>> = {
  foreign: 'a line that is neither kind of record, half a record, another runtime tag',
  'plugin-order': 'a plugin that is not the next one of the list, or not in it',
  incomplete: 'a group that lacks records',
  interleaved: 'a group that begins before another one has ended',
  timestamp: 'another timestamp than that of the group',
  offset: "not the time zone's UTC offset at that time",
  timezone: 'another time zone',
  path: 'another path of a plugin, of the loader or of the session component',
  'line-number': 'another line number of the loader or of the session component',
  descriptor: 'another request descriptor than that of the group',
  backwards: 'a group that is earlier than the one above it',
  ending: 'no LF at the end of the log, or a CR before an LF',
};

const EXAMPLES = `
One line for each violation, SOURCE:LINE: rule: what is there; what belongs there, then a summary.
The rules:
${Object.entries(MEANINGS)
  .map(([rule, meaning]) => `  ${rule.padEnd(13)} ${meaning}`)
  .join('\n')}

--json writes NDJSON: {"kind":"violation","source","line","rule","section","found","expected"} for each,
then {"kind":"summary","source","lines","groups","violations","shown","rules","allowed"}.
"found" and "expected" are values as they stand in the log, as strings, or words where there is no value.
"group_line" is the first line of the group that is meant; "missing", the records that a group lacks.

The log is held against the deployment as given; both dialects are accepted. Of the log of another installation
nearly every line is a violation: let parse find its deployment, and check against that (below).

Examples:
  webmail-diaglog check error.log
  webmail-diaglog parse --as deployment error.log > site.json; webmail-diaglog check --deployment site.json error.log
  webmail-diaglog check --allow interleaved,foreign --install-root /srv/webmail error.log
  webmail-diaglog replay requests.csv | webmail-diaglog check
  webmail-diaglog check --json error.log | jq -r 'select(.kind == "violation") | .rule' | sort | uniq -c

Exit codes: 0 nothing found that is not allowed, 1 something found, 2 the call or the environment is at fault,
128 + n ended by signal n.`;

/** Adds the command `check`. */
export function addCheckCommand(program: Command): void {
  const command = program
    .command('check')
    .summary('the log, held against the specification')
    .description('Holds a log against the specification, and says where it differs.')
    .argument('[log]', 'the log; left out or -, standard input')
    .option(
      '--allow <rules>',
      'accept violations of these rules, separated by commas; may be repeated',
      (list: string, before: readonly string[] | undefined): readonly string[] | undefined => [...(before ?? []), list],
    )
    .option('--max <n>', 'write at most so many violations; all are counted', '100')
    .option('--json', 'write NDJSON, for machines')
    .option('-o, --output <file>', 'append to a file instead of writing to stdout');
  addDeploymentOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, raw: RawCheckOptions) => {
      const { runCheck } = await import('./run.js');
      await runCheck(file, raw);
    });
}
