import type { Command } from 'commander';
import type { CanaryKind } from '../../canary/findings.js';
import { addCanaryOptions, resolveCanary } from './options.js';

const MEANINGS: Readonly<Record<CanaryKind, string>> = {
  missing: 'a record had not come when it was due, see --late',
  late: 'it came after all, and is no longer missing',
  duplicated: 'a record came once more than it was written',
  altered: 'a record came with other bytes, or another value of a field',
  reordered: 'a record came after one that was written later',
  foreign: 'anything else with the mark of this run',
};

const HELP = `
One process writes live traffic to <log>, follows what arrives in <received...>
as tail -F does, and says at once what was lost. Each target carries
canary=<run>-<n>. Everything without that mark is counted as "others".

A line for each finding, SOURCE:LINE: kind: …, then a summary. The kinds:
${Object.entries(MEANINGS)
  .map(([kind, meaning]) => `  ${kind.padEnd(11)} ${meaning}`)
  .join('\n')}

It ends after --duration, at SIGINT or SIGTERM, or when standard input ends, and
waits for what is outstanding. A second signal ends it at once. SIGHUP reopens
<log>, for rotation by another program.

Examples:
  webmail-diaglog canary app.log received.log
  webmail-diaglog canary app.log out.ndjson --field message --rate 5
  webmail-diaglog canary app.log out.ndjson --field message --metrics 9464
  kubectl logs -f collector | webmail-diaglog canary app.log - --late 1m
  webmail-diaglog canary app.log out.log --duration 10m --json | jq .missing

Exit codes: 0 everything arrived unchanged, once, in order and in time,
1 something was found that is not allowed, or nothing was written, 2 the call or
the environment is at fault, 128 + n ended by a second signal n.`;

/** Adds the command `canary`. */
export function addCanaryCommand(program: Command): void {
  addCanaryOptions(program.command('canary'))
    .summary('live traffic, and at once whether it arrived')
    .description('Writes live traffic to a log, follows what a pipeline delivers, and says what was lost while it runs.')
    .addHelpText('after', HELP)
    .action(async (log, received, raw) => {
      const options = resolveCanary(raw, log);
      const { runCanary } = await import('./run.js');
      await runCanary(log, received, options);
    });
}
