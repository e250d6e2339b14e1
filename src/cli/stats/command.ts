import type { Command } from 'commander';

/** The options as given. */
export interface RawStatsOptions {
  readonly json?: true;
  readonly output?: string;
}

const EXAMPLES = `
The report is as wide as the terminal, and 80 columns of plain ASCII where it goes elsewhere.
Incomplete groups and foreign lines (those that are no record of this log) are counted, with their lines.

Examples:
  webmail-diaglog stats error.log
  zcat error.log.*.gz | webmail-diaglog stats
  webmail-diaglog stats --json error.log | jq '.targets[0]'

Exit codes: 0 done, 1 the log is compressed, 2 the call or the environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `stats`. */
export function addStatsCommand(program: Command): void {
  program
    .command('stats')
    .summary('what is in a log, to look at')
    .description('Sums up a log: its span, groups and records, requests by target, and requests over time.')
    .argument('[log]', 'the log; left out or -, standard input')
    .option('--json', 'the same for machines: one line of JSON')
    .option('-o, --output <file>', 'append to a file instead of writing to stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, raw: RawStatsOptions) => {
      const { runStats } = await import('./run.js');
      await runStats(file, raw);
    });
}
