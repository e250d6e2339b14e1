import { Option, type Command } from 'commander';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { addListeningOptions } from '../options/listening.js';
import { OUTPUT_OPTION, QUIET_OPTION } from '../options/output-file.js';
import { parsePrefixes } from '../options/prefixes.js';

const HELP = `
It answers GET requests for /<prefix>/, /<prefix>/index.php and
/<prefix>/public_html/index.php, with any query: 200, and their group is in the
log before the answer is sent. Another path is 404, another method 405, and
while the log cannot be written the answer is 503; none of these is logged.

With -o, SIGHUP reopens the file, for rotation.

Examples:
  webmail-diaglog serve -o error.log
  webmail-diaglog serve --port 0 --prefixes mail | tee error.log
  curl 'http://127.0.0.1:8080/poczta/?_task=login'

Exit codes: 0 ended by SIGINT or SIGTERM, or the reader of the log went away,
2 the call or the environment is at fault.`;

/** Adds the command `serve`. */
export function addServeCommand(program: Command): void {
  addOptions(program.command('serve'))
    .summary('HTTP requests -> the log')
    .description('Answers HTTP requests as the webmail would, and writes their log: for each request a group of eight records.')
    .addHelpText('after', HELP)
    .action(async (options) => {
      const site = resolveDeployment(options);
      const { runServe } = await import('./run.js');
      await runServe({ ...options, ...site });
    });
}

function addOptions(command: Command) {
  const withOwn = addListeningOptions(command)
    .addOption(
      new Option('--prefixes <a,b,c>', 'the paths under which the webmail is mounted')
        .argParser(parsePrefixes)
        .default(['mail', 'poczta', 'webmail']),
    )
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(withOwn);
}
