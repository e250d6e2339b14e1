import { namesOf } from '../wording.js';
import { encodeText, isFieldText } from './byte-string.js';
import { isZoneName, UNKNOWN_ZONE } from './zone.js';

export const DIALECTS = ['spec', 'php'] as const;
/** `spec` writes records as the specification shows them; `php` writes two spaces after `Deprecated:`, as PHP does. */
export type Dialect = (typeof DIALECTS)[number];

export const DRIVERS = ['file', 'stdout', 'syslog'] as const;
/**
 * The way in which the webmail writes its log (its `log_driver`): `file` appends records with a stamp to a file; `stdout` writes `errors: `
 * and `syslog` nothing in place of the stamp, so that both need an envelope with a time.
 */
export type Driver = (typeof DRIVERS)[number];

/** The values in records that are fixed per installation. Texts are byte strings. */
export interface Deployment {
  /** `{install_root}`, without a slash at its end. */
  readonly installRoot: string;
  /** `<runtime_tag>`, before `Error` and `Deprecated`. */
  readonly runtimeTag: string;
  /** `<script_ext>` of the plugin files (2.1). */
  readonly scriptExtension: string;
  /** `<Lib>`, the library folder of loader and session component. */
  readonly library: string;
  /** `<loader_file>`, the plugin loader (2.1). */
  readonly loaderFile: string;
  /** The loader's line that reports a failure (2.1). */
  readonly loaderLine: number;
  /** `<session_file>`, the session component (2.2). */
  readonly sessionFile: string;
  /** The session component's deprecated line (2.2). */
  readonly sessionLine: number;
  /** The IANA name of the zone whose clock the log shows. The deprecation record shows the name as given (2.2). */
  readonly timezone: string;
  /** The plugins that fail to load, in reporting order (2.3). */
  readonly plugins: readonly string[];
  readonly dialect: Dialect;
  /** The folder of the plugins, without a slash at its end. Some installations have it below another root than the program. */
  readonly pluginsFolder: string;
  /** `<plugin_loader_file_path>` (2.1). */
  readonly loaderPath: string;
  /** `<session_file_path>` (2.2). */
  readonly sessionPath: string;
  /** False for an installation whose groups end with their last load failure. */
  readonly deprecation: boolean;
  readonly driver: Driver;
}

/** The options of a deployment, as texts. Options left out have the defaults of the specification. */
export type DeploymentOptions = Partial<Deployment>;

/** An invalid deployment; `key` names the invalid option. The message is one line and quotes no input. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';

  constructor(
    readonly key: string,
    readonly problem: string,
    readonly remedy: string,
  ) {
    super(`${key} ${problem}; ${remedy}`);
  }
}

/** PATH_MAX of Linux; bounds the length of a record. */
const MAX_TEXT_BYTES = 4096;

/** Whole groups are held in memory, and readers look for the plugins in the first 512 records of a log. */
export const MAX_PLUGINS = 500;

type Parse<T> = (value: unknown, key: string) => T;

const parseLineNumber = parserOf<number>(
  (value): value is number => Number.isSafeInteger(value) && Number(value) > 0,
  'is not a line number',
  'give a whole number from 1 on',
);

/** Defaults are those of the specification (2.1 to 2.3), else of a typical installation. `{key}` stands for the value of a key above. */
export const DEPLOYMENT_KEYS: {
  readonly [Key in keyof Deployment]: { readonly default: Deployment[Key]; readonly parse: Parse<Deployment[Key]> };
} = {
  installRoot: { default: '/var/www/roundcube', parse: parseFolder },
  runtimeTag: { default: 'PHP', parse: parseText },
  scriptExtension: { default: 'php', parse: parseText },
  library: { default: 'Roundcube', parse: parseText },
  loaderFile: { default: 'rcube_plugin_api.php', parse: parseText },
  loaderLine: { default: 193, parse: parseLineNumber },
  sessionFile: { default: 'rcube_session.php', parse: parseText },
  sessionLine: { default: 119, parse: parseLineNumber },
  timezone: { default: 'Europe/Warsaw', parse: parseZone },
  plugins: {
    default: ['automatic_addressbook', 'carddav', 'html5_notifier', 'legacy_browser', 'markasjunk2', 'sauserprefs', 'sieverules'],
    parse: parsePlugins,
  },
  dialect: { default: 'spec', parse: parseOneOf(DIALECTS, 'dialect') },
  pluginsFolder: { default: '{installRoot}/plugins', parse: parseFolder },
  loaderPath: { default: '{installRoot}/program/lib/{library}/{loaderFile}', parse: parseText },
  sessionPath: { default: '{installRoot}/program/lib/{library}/{sessionFile}', parse: parseText },
  deprecation: {
    default: true,
    parse: parserOf((value) => typeof value === 'boolean', 'is not true or false', 'give true or false'),
  },
  driver: { default: 'file', parse: parseOneOf(DRIVERS, 'driver') },
};

const KEYS = namesOf(DEPLOYMENT_KEYS);

/**
 * Makes a deployment. Options left out have the defaults of the specification (2.1 to 2.3).
 * @throws DeploymentError on a value of a wrong type, an empty text, a text of more than 4096 bytes, a text that could forge a record
 *   (with a space, a control character or a line break), an unknown time zone, more than 500 plugins, a plugin listed twice
 */
export function createDeployment(options: DeploymentOptions = {}): Deployment {
  return parseDeployment(options);
}

/**
 * `createDeployment` from a value of unknown type, such as parsed JSON.
 * @throws DeploymentError where `createDeployment` would, and for a value that is not an object or has an unknown key
 */
export function parseDeployment(options: unknown): Deployment {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new DeploymentError('deployment', 'is not an object', 'write it as {"installRoot": "/srv/mail", …}');
  const given: Readonly<Record<string, unknown>> = { ...options };
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(DEPLOYMENT_KEYS, key));
  if (unknown !== undefined)
    throw new DeploymentError(unknown, 'is not a key of a deployment', `the keys are ${KEYS.join(', ')}`);
  const deployment: Record<string, unknown> = {};
  for (const key of KEYS) {
    const { default: usual, parse } = DEPLOYMENT_KEYS[key];
    const fillIn = (text: string): string => text.replace(/\{(\w+)\}/g, (_, above: string) => String(deployment[above]));
    if (given[key] !== undefined) deployment[key] = parse(given[key], key);
    else deployment[key] = typeof usual === 'string' ? fillIn(usual) : usual;
  }
  requireDeployment(deployment);
  if (deployment.driver !== 'stdout' || !deployment.deprecation) return deployment;
  const problem = 'is stdout, where deprecation records go to the log of the server';
  throw new DeploymentError('driver', problem, 'give "deprecation": false too');
}

/** Refuses an object that is not a deployment: callers without types may pass anything. @throws DeploymentError */
export function requireDeployment(deployment: object): asserts deployment is Deployment {
  const given: Readonly<Record<string, unknown>> = { ...deployment };
  for (const key of KEYS) {
    const usual = DEPLOYMENT_KEYS[key].default;
    const value = given[key];
    if (typeof value === typeof usual && Array.isArray(value) === Array.isArray(usual)) continue;
    const problem = value === undefined ? 'is missing' : 'has the wrong type';
    throw new DeploymentError(key, problem, 'make the deployment with createDeployment');
  }
}

const UNFIT_TEXT = 'holds a space, a control character or half a surrogate pair';

function parseText(value: unknown, key: string): string {
  if (typeof value !== 'string') throw new DeploymentError(key, 'is not a string', 'give a string');
  if (value === '') throw new DeploymentError(key, 'is empty', 'give a text, or leave it out');
  const bytes = encodeText(value);
  if (!value.isWellFormed() || !isFieldText(bytes))
    throw new DeploymentError(key, UNFIT_TEXT, 'give a text that can stand in a record');
  if (bytes.length <= MAX_TEXT_BYTES) return bytes;
  throw new DeploymentError(key, `is longer than ${String(MAX_TEXT_BYTES)} bytes`, 'give a shorter text');
}

function parseFolder(value: unknown, key: string): string {
  return parseText(value, key).replace(/\/+$/, '');
}

function parseZone(value: unknown, key: string): string {
  const name = parseText(value, key);
  if (isZoneName(name)) return name;
  throw new DeploymentError(key, UNKNOWN_ZONE.problem, UNKNOWN_ZONE.remedy);
}

function parsePlugins(value: unknown, key: string): readonly string[] {
  if (!Array.isArray(value)) throw new DeploymentError(key, 'is not a list', 'give a list of plugin names');
  if (value.length === 0) throw new DeploymentError(key, 'is empty', 'give at least one plugin name');
  if (value.length > MAX_PLUGINS) throw new DeploymentError(key, `lists more than ${String(MAX_PLUGINS)} plugins`, 'list fewer');
  const names = value.map((name: unknown) => parseText(name, key));
  if (new Set(names).size < names.length) throw new DeploymentError(key, 'lists a plugin twice', 'list each plugin once');
  return names;
}

function parseOneOf<T extends string>(known: readonly T[], noun: string): Parse<T> {
  const isKnown = (value: unknown): value is T => known.some((name) => name === value);
  return parserOf(isKnown, `is not a ${noun}`, `give one of ${known.join(', ')}`);
}

function parserOf<T>(isRight: (value: unknown) => value is T, problem: string, remedy: string): Parse<T> {
  return (value, key) => {
    if (isRight(value)) return value;
    throw new DeploymentError(key, problem, remedy);
  };
}
