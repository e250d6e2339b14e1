import type { Command } from 'commander';
import { RULE_NAMES, RULES } from '../../check/rules.js';
import { CallError } from '../../errors.js';
import { addDeploymentOptions, findDeploymentFlag, resolveDeployment } from '../options/deployment.js';
import { allowOption, formatKinds, maxOption } from '../options/findings.js';
import type { OptionsOf } from '../options/option.js';
import { addLogOptions } from '../options/output-file.js';

const HELP = `
The report has a line for each violation, and a summary as its last line:
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
    .summary('checks a log against the specification')
    .description('Checks a log against the specification and a deployment, and reports each difference.')
    .addHelpText('after', HELP)
    .action(async (files, options) => {
      const { runCheck } = await import('./run.js');
      await runCheck(files, { ...options, ...resolveSite(options) });
    });
}

function addOptions(command: Command) {
  const withOwn = command
    .addOption(allowOption('--allow <rules>', 'violations of these rules', RULE_NAMES, 'rule'))
    .addOption(maxOption('violations; all are counted'))
    .option('--infer', 'compare the log with the deployment of its own groups')
    .option('--json', 'write NDJSON, for machines');
  return addDeploymentOptions(addLogOptions(withOwn));
}

/** The deployment that the log is compared with; undefined for that of the log itself. @throws CallError */
function resolveSite(options: OptionsOf<typeof addOptions>) {
  if (options.infer !== true) return resolveDeployment(options);
  const given = findDeploymentFlag(options);
  if (given === undefined) return { deployment: undefined, usedFiles: [] };
  throw new CallError({ source: '--infer' }, 'takes the deployment from the log', `leave out ${given}`);
}
