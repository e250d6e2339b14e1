import type { Command } from 'commander';
import type { FindingKind } from '../../compare/findings.js';
import { addCompareOptions, resolveCompare } from './options.js';

const MEANINGS: Readonly<Record<FindingKind, string>> = {
  missing: 'a record that was sent did not come',
  duplicated: 'a record came once more than it was sent',
  altered: 'a record came with other bytes, or another value of a field',
  reordered: 'a record came at another place',
  foreign: 'anything else that came',
};

const HELP = `
A line for each finding, SOURCE:LINE: kind: …, then a summary. The kinds:
${Object.entries(MEANINGS)
  .map(([kind, meaning]) => `  ${kind.padEnd(11)} ${meaning}`)
  .join('\n')}

Equal records are interchangeable: they count, they do not identify. Give synth
or replay --mark, so that no two requests are alike.

--fields names fields as parse --as records does (instant, request_target, …):
the pipeline's parsing is compared with the truth. --wait follows both sides as
tail -F does, and measures how long records took. It ends as soon as all that
was sent so far has come and the sent log has not grown for a second: start it
when the writer is done, or let the writer never pause for a second. A file that
does not exist yet is waited for, as long as the duration given.

Examples:
  webmail-diaglog synth --mark r -o app.log
  webmail-diaglog compare app.log received.log
  webmail-diaglog compare app.log out.ndjson --field message
  webmail-diaglog compare app.log out.ndjson --fields instant=time,kind=type
  webmail-diaglog compare --wait 30s app.log out.ndjson --field message
  webmail-diaglog compare --json --max 0 app.log received.log | jq .share

Exit codes: 0 nothing found that is not allowed, 1 something found, 2 the call
or the environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `compare`. */
export function addCompareCommand(program: Command): void {
  addCompareOptions(program.command('compare'))
    .summary('what a pipeline delivered, held against what was sent')
    .description('Compares what a pipeline delivered with the log that was sent.')
    .addHelpText('after', HELP)
    .action(async (expected, received, raw) => {
      const options = resolveCompare(raw);
      const { runCompare } = await import('./run.js');
      await runCompare(expected, received, options);
    });
}
