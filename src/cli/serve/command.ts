import type { Command } from 'commander';
import { addDeploymentOptions, type RawDeploymentOptions } from '../options/deployment-options.js';

/** The options as given. */
export interface RawServeOptions extends RawDeploymentOptions {
  readonly host: string;
  readonly port: string;
  readonly prefixes: string;
  readonly output?: string;
}

const EXAMPLES = `
Handled are GET requests for /<prefix>/, /<prefix>/index.php and /<prefix>/public_html/index.php, with any query:
200, and their group is in the log before the answer is sent. Another path is 404, another method 405, and while the log
cannot be written it is 503; none of these is logged.

Examples:
  webmail-diaglog serve -o error.log
  webmail-diaglog serve --port 0 --prefixes mail | tee error.log
  curl 'http://127.0.0.1:8080/poczta/?_task=login'

With -o SIGHUP reopens the file, for rotation.

Exit codes: 0 ended by SIGINT or SIGTERM, or the reader of the log went away, 2 the call or the environment is at fault.`;

/** Adds the command `serve`. */
export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .summary('HTTP requests -> the log')
    .description('Answers HTTP requests as the webmail would, and writes the log of them: for each a group of eight records.')
    .option('--host <host>', 'name or address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '8080')
    .option('--prefixes <a,b,c>', 'the paths under which the webmail is mounted', 'mail,poczta,webmail')
    .option('-o, --output <file>', 'append to a file instead of writing to stdout');
  addDeploymentOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (raw: RawServeOptions) => {
      const { runServe } = await import('./run.js');
      await runServe(raw);
    });
}
