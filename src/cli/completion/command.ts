import { ENDED, type CommandDefinition } from '../options/option.js';
import { OUTPUT } from '../options/output.js';
import { oneOf } from '../options/values.js';

export const COMMAND = {
  name: 'completion',
  summary: 'the completion script of a shell',
  description: 'Writes the script with which a shell completes the command line of webmail-diaglog.',
  arguments: { shell: { required: true, value: oneOf('shell', ['bash', 'zsh', 'fish']), meaning: 'the shell to complete in' } },
  options: { output: OUTPUT.output },
  help: `The script completes commands, options, values of options, time zones and files.
To try it, load it into the running shell:
  bash  eval "$(webmail-diaglog completion bash)"
  zsh   source <(webmail-diaglog completion zsh)
  fish  webmail-diaglog completion fish | source

The script does not call webmail-diaglog, so write it again after an update.`,
  examples: [
    `webmail-diaglog completion bash > \\
  ~/.local/share/bash-completion/completions/webmail-diaglog`,
    'webmail-diaglog completion zsh > ~/.zfunc/_webmail-diaglog',
    `webmail-diaglog completion fish > \\
  ~/.config/fish/completions/webmail-diaglog.fish`,
  ],
  exit: { 0: 'done', ...ENDED },
} satisfies CommandDefinition;
