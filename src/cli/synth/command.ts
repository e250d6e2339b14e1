import { Option, type Command } from 'commander';
import { PROFILES, type Profile } from '../../requests/synth/profiles.js';
import { addDeploymentOptions, type RawDeploymentOptions } from '../options/deployment-options.js';
import { FORMS, type Form } from '../options/forms.js';

/** The options as given. */
export interface RawSynthOptions extends RawDeploymentOptions {
  readonly seed: string;
  readonly from?: string;
  readonly to?: string;
  readonly count?: string;
  readonly rate?: string;
  readonly profile: Profile;
  readonly targets?: string;
  readonly as: Form;
  readonly shard?: string;
  readonly speed?: string;
  readonly mark?: string;
  readonly output?: string;
}

const EXAMPLES = `
The same options give the same bytes, on any machine. Two of --count, --rate and --to are enough: the third follows from them.
Slices made with --shard, one after the other, are the whole: they can be made on many machines and put together with cat.

A list of targets is CSV: request_target,weight or request_target,weight,http_method. Left out, the twelve targets that
were observed.

Examples:
  webmail-diaglog synth --seed 7 --count 100000 --from 2025-03-01 --to 2025-04-01 --profile office > error.log
  webmail-diaglog synth --from now --rate 50 --count forever --speed 1 -o error.log
  webmail-diaglog synth --as requests --count 1000 | webmail-diaglog replay --dialect php > error.log
  webmail-diaglog synth --count 20000000 --shard 3/8 > error.3.log

With -o SIGHUP reopens the file, for rotation.

Exit codes: 0 done, 1 the list of targets is at fault, 2 the call or the environment is at fault, 128 + n ended by signal n.`;

/** Adds the command `synth`. */
export function addSynthCommand(program: Command): void {
  const command = program
    .command('synth')
    .summary('a seed -> the log, or a request list')
    .description('Makes up traffic, the same for the same options, and writes its log or its request list.')
    .option('--seed <integer>', 'what chance depends on', '1')
    .option('--from <time>', 'when the traffic begins, or "now" (default: 2025-05-18 on the clock of --timezone)')
    .option('--to <time>', 'when it has ended (default: a day after --from)')
    .option('--count <n>', 'how many requests, or "forever" (default: 1000)')
    .option('--rate <number>', 'how many requests a second, in the mean')
    .addOption(new Option('--profile <profile>', 'how it spreads over day and week').choices(PROFILES).default('flat'))
    .option('--targets <file>', 'the targets to draw from, with weights')
    .addOption(new Option('--as <form>', 'what is written').choices(FORMS).default('log'))
    .option('--shard <i/n>', 'the i-th of n slices only')
    .option('--speed <factor>', 'write in real time, so many times as fast as recorded')
    .option('--mark <name>', 'add name=1, name=2, … to the queries, so that no two requests are alike')
    .option('-o, --output <file>', 'append to a file instead of writing to stdout');
  addDeploymentOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (raw: RawSynthOptions) => {
      const { runSynth } = await import('./run.js');
      await runSynth(raw);
    });
}
