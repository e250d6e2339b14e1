import { Argument, type Command, type CommandUnknownOpts } from 'commander';
import { OUTPUT_OPTION } from '../options/output-file.js';
import { describeCommandLine } from './command-line.js';

const HELP = `
The script completes commands, options, values of options, time zones and files.
To try it, load it into the running shell:
  bash  eval "$(webmail-diaglog completion bash)"
  zsh   source <(webmail-diaglog completion zsh)
  fish  webmail-diaglog completion fish | source

The script does not call webmail-diaglog, so write it again after an update.

Examples:
  webmail-diaglog completion bash > \\
    ~/.local/share/bash-completion/completions/webmail-diaglog
  webmail-diaglog completion zsh > ~/.zfunc/_webmail-diaglog
  webmail-diaglog completion fish > \\
    ~/.config/fish/completions/webmail-diaglog.fish

Exit codes: 0 done, 2 the call or the environment is at fault, 128 + n ended by
signal n.`;

/**
 * Adds the command `completion`.
 *
 * @param createWhole makes the program with all its commands, which the script completes
 */
export function addCompletionCommand(program: Command, createWhole: () => Promise<CommandUnknownOpts>): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(['bash', 'zsh', 'fish']))
    .addOption(OUTPUT_OPTION)
    .summary('the completion script of a shell')
    .description('Writes the script with which a shell completes the command line of webmail-diaglog.')
    .addHelpText('after', HELP)
    .action(async (shell, { output }) => {
      const { runCompletion } = await import('./run.js');
      await runCompletion(shell, describeCommandLine(await createWhole()), output);
    });
}
