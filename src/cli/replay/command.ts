import type { Command } from 'commander';
import { FAULT_HELP } from '../options/faults.js';
import { addReplayOptions, resolveReplay } from './options.js';

const HELP = `
A request list is CSV: timestamp,request_target or
timestamp,http_method,request_target; or columns of these names (also target
and method) in any order, under a header. A timestamp is
  ISO 8601          2025-05-18T12:00:00+02:00; without an offset it is on the
                    clock of --timezone
  the log's own     18-May-2025 12:00:00 +0200
  an access log's   18/May/2025:12:00:00 +0200
  Unix time         1747562400

An access log is read in the Common or Combined format of nginx and Apache. It
gives the requests that the webmail handled: their path ends in / or .php, and
their status is none of 400, 404, 405, 408, 414.

A deployment file is JSON with any of the keys installRoot, runtimeTag,
scriptExtension, library, loaderFile, loaderLine, sessionFile, sessionLine,
timezone, plugins, dialect.

${FAULT_HELP}

Rotation renames FILE to FILE.1, FILE.1 to FILE.2 and so on, between two groups.
With -o, SIGHUP reopens the file, for rotation by another program.

Examples:
  webmail-diaglog replay requests.csv >> error.log
  tail -n +1 -f requests.csv | webmail-diaglog replay -o error.log
  webmail-diaglog replay --order sort --dialect php requests.csv > error.log
  webmail-diaglog replay --live yesterday.csv >> error.log
  webmail-diaglog replay --live --rotate-every 1h -o e.log --tee sent.log x.csv
  webmail-diaglog replay --faults torn:0.01,late:0.1 requests.csv > broken.log
  webmail-diaglog replay --loop forever --start now --speed 10 --mark r x.csv
  webmail-diaglog replay --from access-log --prefixes mail access.log > e.log
  echo 2025-05-18T12:00:00,/mail/ | webmail-diaglog replay --timezone UTC

Exit codes: 0 done, 1 the list is at fault, 2 the call or the environment is at
fault, 128 + n ended by signal n.`;

/** Adds the command `replay`. */
export function addReplayCommand(program: Command): void {
  addReplayOptions(program.command('replay'))
    .summary('a request list -> the log')
    .description('Writes the log of a list of requests: for each request a group of eight records.')
    .addHelpText('after', HELP)
    .action(async (file, raw) => {
      const options = resolveReplay(raw);
      const { runReplay } = await import('./run.js');
      await runReplay(file, options);
    });
}
