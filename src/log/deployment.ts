import { encodeText, isFieldText } from './byte-string.js';
import { DIALECTS, type Dialect } from './dialect.js';
import { isZoneName } from './zone.js';

/** What is fixed per installation: every part of a record that is the same from request to request. Its texts are byte strings. */
export interface Deployment {
  /** `{install_root}`, without a slash at its end. */
  readonly installRoot: string;
  /** `<runtime_tag>`; the records' `Error` and `Deprecated` follow it. */
  readonly runtimeTag: string;
  /** `<script_ext>` of the plugin files (2.1). */
  readonly scriptExtension: string;
  /** `<Lib>`, the library folder that holds loader and session component. */
  readonly library: string;
  /** `<loader_file>`, the plugin loader (2.1). */
  readonly loaderFile: string;
  /** The loader's line that reports a failure (2.1). */
  readonly loaderLine: number;
  /** `<session_file>`, the session component (2.2). */
  readonly sessionFile: string;
  /** The session component's deprecated line (2.2). */
  readonly sessionLine: number;
  /** IANA name of the zone whose clock the log shows; stands in the deprecation record as it was given (2.2). */
  readonly timezone: string;
  /** The plugins that fail to load, in reporting order (2.3). */
  readonly plugins: readonly string[];
  readonly dialect: Dialect;
}

/** What may be said of a deployment, as texts; what is left out is as the specification has it. */
export type DeploymentOptions = Partial<Deployment>;

/** A deployment that cannot be: `key` is at fault. The message is one line and quotes no input. */
export class DeploymentError extends Error {
  readonly key: string;
  readonly problem: string;
  readonly remedy: string;

  constructor(key: string, problem: string, remedy: string) {
    super(`${key} ${problem}; ${remedy}`);
    this.name = 'DeploymentError';
    this.key = key;
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** The constants of the specification (2.1 to 2.3), and a usual installation's values for those it leaves open. */
const DEFAULTS: Deployment = {
  installRoot: '/var/www/roundcube',
  runtimeTag: 'PHP',
  scriptExtension: 'php',
  library: 'Roundcube',
  loaderFile: 'rcube_plugin_api.php',
  loaderLine: 193,
  sessionFile: 'rcube_session.php',
  sessionLine: 119,
  timezone: 'Europe/Warsaw',
  plugins: ['automatic_addressbook', 'carddav', 'html5_notifier', 'legacy_browser', 'markasjunk2', 'sauserprefs', 'sieverules'],
  dialect: 'spec',
};

/** As long as a path can be. It bounds a record, and with it what readers of the log must be ready for. */
const MAX_TEXT_BYTES = 4096;

/** A group is held in memory as a whole. (Readers look for its plugins in the first 512 records of a log.) */
const MAX_PLUGINS = 500;

/**
 * Makes a deployment of what is said of it; the rest is as the specification has it (2.1 to 2.3).
 *
 * @throws DeploymentError on a wrong type, an empty text, one of more than 4096 bytes, a text that holds a space, a control character
 *   or a line break (it could forge a record), an unknown time zone, more than 500 plugins, and a plugin that is listed twice
 */
export function createDeployment(options: DeploymentOptions = {}): Deployment {
  return parseDeployment(options);
}

/**
 * `createDeployment` of a value whose type is not known, such as parsed JSON.
 *
 * @param base what is left out is as here
 * @throws DeploymentError where `createDeployment` would, and if the value is no object or has an unknown key
 */
export function parseDeployment(options: unknown, base: Deployment = DEFAULTS): Deployment {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new DeploymentError('deployment', 'is not an object', 'write it as {"installRoot": "/srv/mail", …}');
  }
  const given = new Map<string, unknown>(Object.entries(options));
  for (const key of given.keys()) {
    if (!Object.hasOwn(DEFAULTS, key)) {
      throw new DeploymentError(key, 'is no part of a deployment', `the keys are ${Object.keys(DEFAULTS).join(', ')}`);
    }
  }
  const take = <K extends keyof Deployment>(key: K, read: (value: unknown, key: string) => Deployment[K]): Deployment[K] => {
    const value = given.get(key);
    return value === undefined ? base[key] : read(value, key);
  };
  return {
    installRoot: take('installRoot', readFolder),
    runtimeTag: take('runtimeTag', readText),
    scriptExtension: take('scriptExtension', readText),
    library: take('library', readText),
    loaderFile: take('loaderFile', readText),
    loaderLine: take('loaderLine', readLineNumber),
    sessionFile: take('sessionFile', readText),
    sessionLine: take('sessionLine', readLineNumber),
    timezone: take('timezone', readZone),
    plugins: take('plugins', readPlugins),
    dialect: take('dialect', readDialect),
  };
}

function readText(value: unknown, key: string): string {
  if (typeof value !== 'string') throw new DeploymentError(key, 'is not a text', 'give a text');
  if (value === '') throw new DeploymentError(key, 'is empty', 'give a text, or leave it out');
  const bytes = encodeText(value);
  if (!value.isWellFormed() || !isFieldText(bytes)) {
    throw new DeploymentError(
      key,
      'holds a space, a control character or half a surrogate pair',
      'give a text that can stand in a record',
    );
  }
  if (bytes.length > MAX_TEXT_BYTES) {
    throw new DeploymentError(key, `is longer than ${String(MAX_TEXT_BYTES)} bytes`, 'give a shorter text');
  }
  return bytes;
}

function readFolder(value: unknown, key: string): string {
  return readText(value, key).replace(/\/+$/, '');
}

function readLineNumber(value: unknown, key: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new DeploymentError(key, 'is not a line number', 'give a whole number from 1 on');
}

function readZone(value: unknown, key: string): string {
  const name = readText(value, key);
  if (isZoneName(name)) return name;
  throw new DeploymentError(key, 'is no time zone that this Node knows', 'give an IANA name such as Europe/Warsaw');
}

function readPlugins(value: unknown, key: string): readonly string[] {
  if (!Array.isArray(value)) throw new DeploymentError(key, 'is not a list', 'give a list of plugin names');
  if (value.length === 0) throw new DeploymentError(key, 'is empty', 'give one plugin name at least');
  if (value.length > MAX_PLUGINS) {
    throw new DeploymentError(key, `lists more than ${String(MAX_PLUGINS)} plugins`, 'list fewer');
  }
  const names = value.map((name: unknown) => readText(name, key));
  if (new Set(names).size < names.length) throw new DeploymentError(key, 'lists a plugin twice', 'list each plugin once');
  return names;
}

function readDialect(value: unknown, key: string): Dialect {
  const dialect = DIALECTS.find((known) => known === value);
  if (dialect !== undefined) return dialect;
  throw new DeploymentError(key, 'is no dialect', `give one of ${DIALECTS.join(', ')}`);
}
