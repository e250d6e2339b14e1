import { Option, type Command } from 'commander';
import { CallError } from '../../errors.js';
import { addLogOptions, fileNameParser, STDOUT } from '../options/output-file.js';

const HELP = `
The report is as wide as the terminal; to a file or a pipe it is plain ASCII, 80
columns wide. Incomplete groups, foreign lines (those that are not records of
this log) and steps back in time are counted, with their lines. Foreign messages
are counted by what they have in common.

--html writes a page that needs no network: the report, with what check --infer
finds. It replaces its file as a whole; the report still goes to stdout.

Several logs are read as one, in the order of their times; gzip is unpacked.

Examples:
  webmail-diaglog stats error.log
  webmail-diaglog stats error.log*
  webmail-diaglog stats --html report.html error.log
  webmail-diaglog stats --json error.log | jq '.targets[0]'

Exit codes: 0 done, 1 the log is at fault, 2 the call or the environment is at
fault, 128 + n ended by signal n.`;

/** Adds the command `stats`. */
export function addStatsCommand(program: Command): void {
  addOptions(program.command('stats'))
    .summary('what is in a log, to look at')
    .description('Sums up a log: its span, groups and records, requests by target, and requests over time.')
    .addHelpText('after', HELP)
    .action(async (files, options) => {
      const { html, json, output } = options;
      if (html === STDOUT && (json === true || output !== undefined)) {
        const remedy = `name a file, or leave out ${json === true ? '--json' : '--output'}`;
        throw new CallError({ source: '--html' }, 'the page takes the place of the report', remedy);
      }
      const { runStats } = await import('./run.js');
      await runStats(files, options);
    });
}

function addOptions(command: Command) {
  const withOwn = command
    .argument('[log...]', 'the log, or several that are read as one; left out or -, standard input')
    .option('--json', 'the same for machines: one line of JSON')
    .addOption(
      new Option('--html <file>', 'write a page for a browser to a file; -, to stdout instead of the report').argParser(
        fileNameParser('--html'),
      ),
    );
  return addLogOptions(withOwn);
}
