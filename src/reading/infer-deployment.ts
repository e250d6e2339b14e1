import { decodeText } from '../log/byte-string.js';
import {
  createDeployment,
  DEPLOYMENT_KEYS,
  DeploymentError,
  type Deployment,
  type DeploymentOptions,
  type Driver,
} from '../log/deployment.js';
import type { LoadFailure } from '../log/line.js';
import { pluginFilePathOf } from '../log/record.js';
import { formatUtcOffset } from '../log/timestamp.js';
import { isZoneName, zoneNamed } from '../log/zone.js';
import type { Group } from './record-group.js';
import { constantsOf, hasConstants } from './whole-group.js';

/** The error of a group that no deployment writes. The message is one line and quotes no input. */
export class NoDeploymentError extends Error {
  override readonly name = 'NoDeploymentError';
}

/** The options of a deployment that a group tells; paths that follow from others are left out. */
export type InferredOptions = DeploymentOptions & Pick<Deployment, 'timezone'>;

/**
 * Infers the options of the deployment that writes a whole group byte for byte (2.1 to 2.3): texts, as in a deployment file. A group
 * without a deprecation record, or with the stamps of an envelope, does not name its time zone: that is one with its UTC offset.
 *
 * @param driver wrote the group; by default records have stamps of their own
 * @throws NoDeploymentError if no deployment does: a path has another shape, the time zone is unknown to this Node or has another offset
 *   at that instant, a text is not UTF-8
 */
export function inferDeploymentOptions(group: Group, driver: Driver = 'file'): InferredOptions {
  const { failures, deprecation } = group;
  const [first] = failures;
  if (first === undefined) throw new NoDeploymentError('the group lacks a record');
  const paths = failures.map(({ pluginFilePath }) => pluginFilePath);
  const { pluginLoaderFilePath: loaderPath } = first;
  const programPaths = deprecation ? [loaderPath, deprecation.sessionFilePath] : [loaderPath];
  const isLong = [...paths, ...programPaths].some(({ length }) => length > MAX_PATH_LENGTH);
  const found = isLong ? undefined : findPlugins(paths);
  if (found === undefined) throw new NoDeploymentError('the paths of its plugins are not those of one folder');
  const { root, below } = findProgram(found.pluginsFolder, loaderPath, programPaths);
  const options = {
    ...(root !== undefined && { installRoot: decode(root === '' ? '/' : root) }),
    runtimeTag: decode(first.runtimeTag),
    scriptExtension: decode(found.scriptExtension),
    ...(below && { library: decode(below.library), loaderFile: decode(below.loaderFile) }),
    loaderLine: first.lineNumber,
    ...(below?.sessionFile !== undefined && { sessionFile: decode(below.sessionFile) }),
    ...(deprecation && { sessionLine: deprecation.lineNumber }),
    timezone: deprecation === undefined || driver !== 'file' ? zoneOf(first) : decode(deprecation.timezoneName),
    plugins: found.plugins.map(decode),
    ...(deprecation && { dialect: deprecation.dialect }),
    ...(!below && { loaderPath: decode(loaderPath) }),
    ...(!below && deprecation && { sessionPath: decode(deprecation.sessionFilePath) }),
    ...((root === undefined || found.pluginsFolder !== root + PLUGIN_FOLDER) && { pluginsFolder: decode(found.pluginsFolder) }),
    ...(deprecation === undefined && { deprecation: false }),
    ...(driver !== 'file' && { driver }),
  };
  // The paths of a deployment can be cut out of paths of other shapes, too.
  const constants = constantsOf(deploymentOf(options));
  const ending = deprecation && {
    ...deprecation,
    ...(driver !== 'file' && { timezoneName: constants.deprecation?.timezoneName ?? '' }),
  };
  const records = ending === undefined ? failures : [...failures, ending];
  if (!records.every((record, place) => hasConstants(record, place, constants)))
    throw new NoDeploymentError('its records differ in what is one for a whole deployment');
  const offset = zoneNamed(options.timezone).offsetAt(first.second);
  if (first.second + offset !== first.localSecond || formatUtcOffset(offset) !== first.utcOffset)
    throw new NoDeploymentError('its UTC offset is not that of its time zone at that time');
  return options;
}

function zoneOf(failure: LoadFailure): string {
  const offsets = new ShownOffsets();
  offsets.add(failure);
  const zone = offsets.findZone();
  if (zone === undefined) throw new NoDeploymentError('no time zone has its UTC offset at that time');
  return zone;
}

function deploymentOf(options: DeploymentOptions): Deployment {
  try {
    return createDeployment(options);
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw new NoDeploymentError(`its ${error.key} ${error.problem}`, { cause: error });
  }
}

function decode(bytes: string): string {
  const text = decodeText(bytes);
  if (text === undefined) throw new NoDeploymentError('a path or a name in it is not UTF-8, which a deployment file must be');
  return text;
}

/** No file has a longer path (PATH_MAX); longer paths are not searched, nor those of more folders. */
const MAX_PATH_LENGTH = 4096;
const MAX_FOLDERS = 64;

/** `<folder>/<plugin_name>/<plugin_name>.<script_ext>` (2.1). */
const PLUGIN_FILE = /^(.*?)\/(.+?)\/\2\.([^/]+)$/;
const PLUGIN_FOLDER = '/plugins';

/** The folder of the program below the install root, and that of its libraries (2.1). */
const PROGRAM_FOLDER = /^(.*?)[/\\]program[/\\]/;
const LIBRARY_FOLDER = '/program/lib/';

/** `<library>/<loader_file>` and `<library>/<session_file>`, a line each; the shortest library. */
const LIBRARY = /^(.+?)\/(.+)(?:\n\1\/(.+))?$/;

interface Plugins {
  readonly pluginsFolder: string;
  readonly scriptExtension: string;
  readonly plugins: readonly string[];
}

/** Finds the folder that holds all plugins, each in a folder of its own name. */
function findPlugins(paths: readonly string[]): Plugins | undefined {
  const [first = ''] = paths;
  if (first.split('/').length > MAX_FOLDERS) return undefined;
  const [, pluginsFolder, , scriptExtension] = PLUGIN_FILE.exec(first) ?? [];
  if (pluginsFolder === undefined || scriptExtension === undefined) return undefined;
  const plugins = paths.map((path) => {
    const names = path.slice(pluginsFolder.length + '/'.length, path.length - scriptExtension.length - '.'.length);
    return names.slice(0, (names.length - '/'.length) / 2);
  });
  const found = { pluginsFolder, scriptExtension, plugins };
  return paths.every((path, index) => path === pluginFilePathOf(plugins[index] ?? '', found)) ? found : undefined;
}

/** Finds the root of the program, beside the plugins if it stands there, and the texts of paths below it, if they all stand there. */
function findProgram(pluginsFolder: string, loaderPath: string, paths: readonly string[]) {
  const beside = pluginsFolder.endsWith(PLUGIN_FOLDER) ? pluginsFolder.slice(0, -PLUGIN_FOLDER.length) : undefined;
  const isBeside = beside !== undefined && loaderPath.startsWith(beside + LIBRARY_FOLDER);
  const root = isBeside ? beside : PROGRAM_FOLDER.exec(loaderPath)?.[1];
  const libraries = `${root ?? ''}${LIBRARY_FOLDER}`;
  const files = paths.map((path) => (path.startsWith(libraries) ? path.slice(libraries.length) : ''));
  const [, library, loaderFile, sessionFile] = LIBRARY.exec(files.join('\n')) ?? [];
  return { root, below: library === undefined || loaderFile === undefined ? undefined : { library, loaderFile, sessionFile } };
}

/** True for a deployment whose log names its time zone. */
export function isZoneNamed({ deprecation, driver = 'file' }: DeploymentOptions): boolean {
  return deprecation !== false && driver === 'file';
}

interface Span {
  readonly utcOffset: string;
  readonly first: number;
  last: number;
}

const MAX_SPANS = 1000;

/** The zones of constant whole hours are `Etc/GMT-14` to `Etc/GMT+12`: west is positive. */
const WHOLE_HOUR = /^([+-])(\d\d)00$/;

/** The UTC offsets that a log shows: where no record names the zone, they tell it. */
export class ShownOffsets {
  readonly #spans: Span[] = [];

  add({ utcOffset, second }: Pick<LoadFailure, 'utcOffset' | 'second'>): void {
    const latest = this.#spans.at(-1);
    if (latest?.utcOffset === utcOffset) latest.last = second;
    else if (this.#spans.length < MAX_SPANS) this.#spans.push({ utcOffset, first: second, last: second });
  }

  /** A zone that has all these offsets: the default one, else that of a constant whole hour, else the first by name. */
  findZone(): string | undefined {
    const [, sign, hours] = WHOLE_HOUR.exec(this.#spans[0]?.utcOffset ?? '') ?? [];
    const wholeHour = `Etc/GMT${sign === '-' || hours === '00' ? '+' : '-'}${String(Number(hours))}`;
    const usual = [DEPLOYMENT_KEYS.timezone.default, wholeHour].find((name) => isZoneName(name) && this.#areOf(name));
    return usual ?? Intl.supportedValuesOf('timeZone').find((name) => this.#areOf(name));
  }

  #areOf(name: string): boolean {
    const zone = zoneNamed(name);
    const shows = (second: number, utcOffset: string): boolean => formatUtcOffset(zone.offsetAt(second)) === utcOffset;
    return this.#spans.every(({ utcOffset, first, last }) => shows(first, utcOffset) && shows(last, utcOffset));
  }
}
