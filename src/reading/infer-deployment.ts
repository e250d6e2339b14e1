import { isDeepStrictEqual } from 'node:util';
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
import { constantsOf } from './whole-group.js';

/** The error of a group that no deployment writes. The message is one line and quotes no input. */
export class NoDeploymentError extends Error {
  override readonly name = 'NoDeploymentError';
}

/** The options of a deployment that a group tells; paths that follow from others are left out. */
export type InferredOptions = DeploymentOptions & Pick<Deployment, 'timezone'>;

/**
 * Infers the options of the deployment that writes a whole group byte for byte (2.1 to 2.3): texts, as in a deployment file. A group
 * without a deprecation record, or with the stamps of an envelope, does not name its time zone: that is one with its UTC offset.
 * @param driver wrote the group; by default records have stamps of their own
 * @throws NoDeploymentError if no deployment does: a path has another shape, the time zone is unknown to this Node or has another offset
 *   at that instant, a text is not UTF-8
 */
export function inferDeploymentOptions(group: Group, driver: Driver = 'file'): InferredOptions {
  const { failures, deprecation } = group;
  const [first] = failures;
  if (first === undefined) throw new NoDeploymentError('the group lacks a record');
  const { pluginLoaderFilePath: loaderPath, runtimeTag, lineNumber: loaderLine } = first;
  const { pluginsFolder, scriptExtension, plugins } = findPlugins(failures.map(({ pluginFilePath }) => pluginFilePath));
  const { root, below } = findProgram(pluginsFolder, deprecation ? [loaderPath, deprecation.sessionFilePath] : [loaderPath]);
  const isNamed = deprecation !== undefined && driver === 'file';
  const timezone = isNamed ? decode(deprecation.timezoneName) : new ShownOffsets().add(first).findZone();
  if (timezone === undefined) throw new NoDeploymentError('no time zone has its UTC offset at that time');
  const options = {
    ...(root !== undefined && { installRoot: decode(root === '' ? '/' : root) }),
    runtimeTag: decode(runtimeTag),
    scriptExtension: decode(scriptExtension),
    ...(below && { library: decode(below.library), loaderFile: decode(below.loaderFile) }),
    loaderLine,
    ...(below?.sessionFile !== undefined && { sessionFile: decode(below.sessionFile) }),
    ...(deprecation && { sessionLine: deprecation.lineNumber }),
    timezone,
    plugins: plugins.map(decode),
    ...(deprecation && { dialect: deprecation.dialect }),
    ...(!below && { loaderPath: decode(loaderPath) }),
    ...(!below && deprecation && { sessionPath: decode(deprecation.sessionFilePath) }),
    ...((root === undefined || pluginsFolder !== root + PLUGIN_FOLDER) && { pluginsFolder: decode(pluginsFolder) }),
    ...(deprecation === undefined && { deprecation: false }),
    ...(driver !== 'file' && { driver }),
  };
  const constants = constantsOf(deploymentOf(options));
  // The paths of a deployment can be cut out of paths of other shapes, too.
  const areWritten = failures.every((failure, index) => hasFields(failure, constants.failures[index]));
  const { timezoneName, ...ending } = constants.deprecation ?? {};
  const isEndWritten = deprecation === undefined || hasFields(deprecation, { ...ending, ...(isNamed && { timezoneName }) });
  if (!areWritten || !isEndWritten) throw new NoDeploymentError('its records differ in what is one for a whole deployment');
  const offset = zoneNamed(timezone).offsetAt(first.second);
  if (first.second + offset !== first.localSecond || formatUtcOffset(offset) !== first.utcOffset)
    throw new NoDeploymentError('its UTC offset is not that of its time zone at that time');
  return options;
}

function hasFields(record: object, fields: object = {}): boolean {
  return isDeepStrictEqual({ ...record, ...fields }, record);
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

/** Longer paths (PATH_MAX), and those of more folders, are not searched. */
const MAX_PATH_LENGTH = 4096;
const MAX_FOLDERS = 64;

/** `<folder>/<plugin_name>/<plugin_name>.<script_ext>` (2.1). */
const PLUGIN_FILE = /^(.*?)\/(.+?)\/\2\.([^/]+)$/;
const PLUGIN_FOLDER = '/plugins';

/** The folder of the program below the install root, that of its libraries (2.1), and `<library>/<file>` there. */
const PROGRAM_FOLDER = /^(.*?)[/\\]program[/\\]/;
const LIBRARY_FOLDER = '/program/lib/';
const LIBRARY_FILE = /^([^/]+)\/(.+)$/;

function findPlugins(paths: readonly string[]): Pick<Deployment, 'pluginsFolder' | 'scriptExtension' | 'plugins'> {
  const [first = ''] = paths;
  const isSearched = first.length <= MAX_PATH_LENGTH && first.split('/').length <= MAX_FOLDERS;
  const [, pluginsFolder = '', , scriptExtension = ''] = (isSearched ? PLUGIN_FILE.exec(first) : null) ?? [];
  const plugins = paths.map((path) => {
    const names = path.slice(pluginsFolder.length + '/'.length, path.length - scriptExtension.length - '.'.length);
    return names.slice(0, (names.length - '/'.length) / 2);
  });
  const found = { pluginsFolder, scriptExtension, plugins };
  if (scriptExtension !== '' && paths.every((path, index) => path === pluginFilePathOf(plugins[index] ?? '', found)))
    return found;
  throw new NoDeploymentError('the paths of its plugins are not those of one folder');
}

/** Finds the root of the program, beside the plugins if it stands there, and the texts of paths below it, if they all stand there. */
function findProgram(pluginsFolder: string, paths: readonly string[]) {
  const [loaderPath = ''] = paths;
  const beside = pluginsFolder.endsWith(PLUGIN_FOLDER) ? pluginsFolder.slice(0, -PLUGIN_FOLDER.length) : undefined;
  const isBeside = beside !== undefined && loaderPath.startsWith(beside + LIBRARY_FOLDER);
  const root = isBeside ? beside : PROGRAM_FOLDER.exec(loaderPath)?.[1];
  const libraries = `${root ?? ''}${LIBRARY_FOLDER}`;
  const [loader, session = loader] = paths.map((path) =>
    path.startsWith(libraries) ? LIBRARY_FILE.exec(path.slice(libraries.length)) : null,
  );
  const [, library, loaderFile] = loader ?? [];
  const isBelow = library !== undefined && loaderFile !== undefined && session?.[1] === library;
  return { root, below: isBelow ? { library, loaderFile, sessionFile: paths.length > 1 ? session[2] : undefined } : undefined };
}

const MAX_SPANS = 1000;

/** The zones of constant whole hours are `Etc/GMT-14` to `Etc/GMT+12`: west is positive. */
const WHOLE_HOUR = /^([+-])(\d\d)00$/;

/** The UTC offsets that a log shows: where no record names the zone, they tell it. */
export class ShownOffsets {
  readonly #spans: { readonly utcOffset: string; readonly first: number; last: number }[] = [];

  add({ utcOffset, second }: Pick<LoadFailure, 'utcOffset' | 'second'>): this {
    const latest = this.#spans.at(-1);
    if (latest?.utcOffset === utcOffset) latest.last = second;
    else if (this.#spans.length < MAX_SPANS) this.#spans.push({ utcOffset, first: second, last: second });
    return this;
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
