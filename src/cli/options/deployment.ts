import { Option, type Command, type OptionValues } from 'commander';
import { refuseOption } from '../../errors.js';
import { DeploymentError, parseDeployment, type Deployment } from '../../log/deployment.js';
import { DIALECTS } from '../../log/dialect.js';
import type { UsedFile } from '../../output/log-file.js';
import { readDeploymentFile } from './deployment-file.js';
import type { OptionsOf } from './output-file.js';

/** Adds the options of the deployment, which is fixed per installation. Generic, so that earlier options of the command keep their types. */
export function addDeploymentOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .addOption(new Option('--deployment <file.json>', 'what is fixed per installation, as JSON').argParser(readDeploymentFile))
    .option('--install-root <folder>', 'where the webmail is installed (default: /var/www/roundcube)')
    .option('--timezone <zone>', 'IANA zone of the log (default: Europe/Warsaw)')
    .option('--plugins <a,b,c>', 'the plugins that fail to load, in order (default: the seven of the specification)')
    .addOption(new Option('--dialect <dialect>', 'spec (default), or php: two spaces after "Deprecated:"').choices(DIALECTS));
}

/** The options of the deployment. */
type DeploymentOptions = OptionsOf<typeof addDeploymentOptions<[], Record<never, never>>>;

/** The deployment of a run. */
export interface Site {
  readonly deployment: Deployment;
  /** The file that the deployment was read from, if one was named: the output must be another file. */
  readonly usedFiles: readonly UsedFile[];
}

/** Resolves the deployment: flags over the deployment file, and both over the defaults. @throws CallError naming the key or flag at fault */
export function resolveDeployment({ deployment: file, installRoot, timezone, plugins, dialect }: DeploymentOptions): Site {
  const flags = { installRoot, timezone, plugins: plugins?.split(','), dialect };
  const given = new Map(Object.entries({ installRoot, timezone, plugins, dialect }));
  try {
    const usedFiles = file === undefined ? [] : [{ stats: file.stats, role: 'deployment' } as const];
    return { deployment: parseDeployment(flags, file?.deployment), usedFiles };
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw refuseOption(flagOf(error.key), given.get(error.key) ?? '', error.problem, error.remedy, { cause: error });
  }
}

/** Finds an option of the deployment that is given: its flag, as `--install-root`. */
export function findDeploymentFlag({
  deployment,
  installRoot,
  timezone,
  plugins,
  dialect,
}: DeploymentOptions): string | undefined {
  const options = Object.entries({ deployment, installRoot, timezone, plugins, dialect });
  const given = options.find(([, value]) => value !== undefined);
  return given && flagOf(given[0]);
}

/** The flag of an option: `--install-root` for `installRoot`. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
