import type { Command } from 'commander';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { addListeningOptions } from '../options/listening.js';
import { optionOf } from '../options/option.js';
import { OUTPUT_OPTION, QUIET_OPTION } from '../options/output-file.js';
import { parsePrefixes } from '../options/prefixes.js';

const HELP = `
GET requests for /<prefix>/, /<prefix>/index.php and
/<prefix>/public_html/index.php, with any query, are answered with 200 once
their group is in the log. Other answers are not logged: 404 for another path,
405 for another method, 503 while the log cannot be written.

With -o, SIGHUP reopens the file, for rotation.

Examples:
  webmail-diaglog serve -o error.log
  webmail-diaglog serve --port 0 --prefixes mail | tee error.log
  curl 'http://127.0.0.1:8080/poczta/?_task=login'

Exit codes: 0 ended by SIGINT or SIGTERM, or the reader of the log went away,
2 the call or the environment is at fault.`;

/** Adds the command `serve`. */
export function addServeCommand(program: Command): void {
  const prefixes = optionOf('--prefixes <a,b,c>', 'the path prefixes under which the webmail is mounted', parsePrefixes);
  const withOwn = addListeningOptions(program.command('serve'))
    .addOption(prefixes.default(['mail', 'poczta', 'webmail']))
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  addDeploymentOptions(withOwn)
    .summary('HTTP requests -> the log')
    .description('Answers HTTP requests as the webmail would, and writes their log: a group of eight records for each request.')
    .addHelpText('after', HELP)
    .action(async (options) => {
      const { runServe } = await import('./run.js');
      await runServe({ ...options, ...resolveDeployment(options) });
    });
}
