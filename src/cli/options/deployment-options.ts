import { Option, type Command } from 'commander';
import { DIALECTS } from '../../log/dialect.js';

/** The options as given. */
export interface RawDeploymentOptions {
  readonly deployment?: string;
  readonly installRoot?: string;
  readonly timezone?: string;
  readonly plugins?: string;
  readonly dialect?: string;
}

/** Adds the options that say what is fixed per installation. */
export function addDeploymentOptions(command: Command): Command {
  return command
    .option('--deployment <file.json>', 'what is fixed per installation, as JSON')
    .option('--install-root <path>', 'where the webmail is installed (default: /var/www/roundcube)')
    .option('--timezone <zone>', 'IANA zone of the log (default: Europe/Warsaw)')
    .option('--plugins <a,b,c>', 'the plugins that fail to load, in order (default: the seven of the specification)')
    .addOption(
      new Option('--dialect <dialect>', 'spec, or php: two spaces after "Deprecated:" (default: spec)').choices(DIALECTS),
    );
}
