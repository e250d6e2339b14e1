import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { Option, type Command, type OptionValues } from 'commander';
import { isObject } from '../../arguments.js';
import { CallError, explainSystemError, refuseOption } from '../../errors.js';
import { DeploymentError, DIALECTS, parseDeployment, type Deployment } from '../../log/deployment.js';
import type { UsedFile } from '../../output/log-file.js';
import { quoteText } from '../../wording.js';
import { optionOf, type OptionsOf } from './option.js';

/** Adds the options of the deployment, which is fixed per installation. Generic, so that earlier options of the command keep their types. */
export function addDeploymentOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .addOption(optionOf('--deployment <file.json>', 'JSON file with what is fixed per installation', readDeploymentFile))
    .option('--install-root <folder>', 'where the webmail is installed (default: /var/www/roundcube)')
    .option('--timezone <zone>', 'IANA zone of the log (default: Europe/Warsaw)')
    .option('--plugins <a,b,c>', 'plugins that fail to load, in order (default: the seven of the specification)')
    .addOption(new Option('--dialect <dialect>', 'spec (default), or php: two spaces after "Deprecated:"').choices(DIALECTS));
}

type DeploymentOptions = OptionsOf<typeof addDeploymentOptions<[], Record<never, never>>>;

/** The deployment of a run. */
export interface Site {
  readonly deployment: Deployment;
  /** The file that the deployment was read from, if one was named: the output must be another file. */
  readonly usedFiles: readonly UsedFile[];
}

/** Resolves the deployment: flags over the deployment file, and both over the defaults. @throws CallError naming the key or flag at fault */
export function resolveDeployment({ deployment: file, installRoot, timezone, plugins, dialect }: DeploymentOptions): Site {
  const given = new Map(Object.entries({ installRoot, timezone, plugins, dialect }).filter(([, value]) => value !== undefined));
  const flags = { ...Object.fromEntries(given), ...(plugins === undefined ? {} : { plugins: plugins.split(',') }) };
  try {
    const usedFiles = file === undefined ? [] : [{ stats: file.stats, role: 'deployment' } as const];
    return { deployment: parseDeployment({ ...file?.options, ...flags }), usedFiles };
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw refuseOption(flagOf(error.key), given.get(error.key) ?? '', error.problem, error.remedy, { cause: error });
  }
}

/** Finds an option of the deployment that is given: its flag, as `--install-root`. */
export function findDeploymentFlag(options: DeploymentOptions): string | undefined {
  const keys = ['deployment', 'installRoot', 'timezone', 'plugins', 'dialect'] as const;
  const key = keys.find((name) => options[name] !== undefined);
  return key && flagOf(key);
}

/** The flag of an option: `--install-root` for `installRoot`. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A deployment file is a handful of lines; a larger file is something else. */
const MAX_FILE_BYTES = 1 << 20;

/** Reads the options of a deployment from a JSON file. @throws CallError that names the file, and the key at fault */
export function readDeploymentFile(_flag: string, path: string): { readonly options: object; readonly stats: Stats } {
  const { bytes, stats } = readBounded(path);
  const options = parseJson(bytes, path);
  try {
    // Flags change the defaults of other keys: what the file gives is kept, not the deployment that it makes.
    parseDeployment(options);
    return { options: isObject(options) ? options : {}, stats };
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw new CallError({ source: path }, `${quoteText(error.key)} ${error.problem}`, error.remedy, { cause: error });
  }
}

/** @throws CallError for bytes that are not JSON in UTF-8 */
function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const [problem, remedy] =
      cause instanceof SyntaxError
        ? [`the deployment file is not JSON: ${quoteText(cause.message)}`, 'write it as {"installRoot": "/srv/mail"}']
        : ['the deployment file is not UTF-8', 'save it as UTF-8'];
    throw new CallError({ source: path }, problem, remedy, { cause });
  }
}

function readBounded(path: string): { readonly bytes: Uint8Array; readonly stats: Stats } {
  const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
  try {
    const fd = openSync(path, 'r');
    try {
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(fd, bytes, length, bytes.length - length, null);
      if (length <= MAX_FILE_BYTES) return { bytes: bytes.subarray(0, length), stats: fstatSync(fd) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw explainSystemError(error, path);
  }
  throw new CallError({ source: path }, 'the deployment file is larger than 1 MiB', 'check that it is the right file');
}
