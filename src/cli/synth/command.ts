import type { Command } from 'commander';
import { addSynthOptions, resolveSynth } from './options.js';

const HELP = `
The same options give the same bytes, on any machine. Two of --count, --rate and
--to are enough: the third follows from them. Counts may be written 10k, 5M or
1e6, durations 500ms, 90s, 15m, 1h or 7d. The slices that --shard makes,
concatenated in order, are the whole: they can be made on many machines.

Requests arrive as those of independent users (--arrivals poisson), one in each
equal stretch of the traffic (even), or in bursts within two seconds (bursty).

A list of targets is CSV: request_target,weight or
request_target,weight,http_method. Left out, the twelve targets that were
observed.

A rate of --faults is the share of groups at which a fault begins. The kinds:
torn, missing, duplicate, swapped, altered, late, interleave, foreign, garbage
and crlf; "all" stands for each of them.

Rotation renames FILE to FILE.1, FILE.1 to FILE.2 and so on, between two groups.
With -o, SIGHUP reopens the file, for rotation by another program.

Examples:
  webmail-diaglog synth --seed 7 --count 100000 --profile office > error.log
  webmail-diaglog synth --from 2025-03-01 --to 2025-04-01 --rate 2 > error.log
  webmail-diaglog synth --rate 2 --duration 1h --as requests > requests.csv
  webmail-diaglog synth --live --rate 50 --count forever --rotate 10MB -o e.log
  webmail-diaglog synth --as requests | webmail-diaglog replay --dialect php
  webmail-diaglog synth --faults all:0.01 --fault-report f.ndjson > broken.log
  webmail-diaglog synth --count 20000000 --shard 3/8 > error.3.log

Exit codes: 0 done, 1 the list of targets is at fault, 2 the call or the
environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `synth`. */
export function addSynthCommand(program: Command): void {
  addSynthOptions(program.command('synth'))
    .summary('a seed -> the log, or a request list')
    .description('Makes up traffic, the same for the same options, and writes its log or its request list.')
    .addHelpText('after', HELP)
    .action(async (raw) => {
      const options = resolveSynth(raw);
      const { runSynth } = await import('./run.js');
      await runSynth(options);
    });
}
