import { Option, type Command } from 'commander';
import { RULE_NAMES, type Rule } from '../../check/rules.js';
import { CallError } from '../../errors.js';
import { addDeploymentOptions, findDeploymentFlag, resolveDeployment } from '../options/deployment.js';
import { allowParser, DEFAULT_MAX, parseMax } from '../options/findings.js';
import { addLogOptions, type OptionsOf } from '../options/output-file.js';

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
  addOptions(program.command('check'))
    .summary('the log, held against the specification')
    .description('Holds a log against the specification, and says where it differs.')
    .addHelpText('after', HELP)
    .action(async (files, options) => {
      const site = resolveSite(options);
      const { runCheck } = await import('./run.js');
      await runCheck(files, { ...options, ...site });
    });
}

function addOptions(command: Command) {
  const withOwn = command
    .argument('[log...]', 'the log, or several that are read as one; left out or -, standard input')
    .addOption(
      new Option('--allow <rules>', 'accept violations of these rules, separated by commas; may be repeated').argParser(
        allowParser(RULE_NAMES, 'rule'),
      ),
    )
    .addOption(
      new Option('--max <n>', 'write at most so many violations; all are counted').argParser(parseMax).default(DEFAULT_MAX),
    )
    .option('--infer', 'hold the log against the deployment of its own first complete group')
    .option('--json', 'write NDJSON, for machines');
  return addDeploymentOptions(addLogOptions(withOwn));
}

/** The deployment that the log is held against; undefined for that of the log. @throws CallError */
function resolveSite(options: OptionsOf<typeof addOptions>) {
  if (options.infer !== true) return resolveDeployment(options);
  const given = findDeploymentFlag(options);
  if (given === undefined) return { deployment: undefined, usedFiles: [] };
  throw new CallError({ source: '--infer' }, 'the deployment is that of the log', `leave out ${given}`);
}
