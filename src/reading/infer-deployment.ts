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

/** No file has a longer path (PATH_MAX); longer ones are not searched. */
const MAX_PATH_LENGTH = 4096;

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
  const paths = findPaths(failures, first.pluginLoaderFilePath, deprecation?.sessionFilePath);
  if (paths === undefined) throw new NoDeploymentError('the paths of its plugins are not those of one folder');
  const { installRoot, scriptExtension, library, loaderFile, sessionFile, plugins, ...elsewhere } = paths;
  const options = {
    ...(installRoot !== undefined && { installRoot: decode(installRoot === '' ? '/' : installRoot) }),
    runtimeTag: decode(first.runtimeTag),
    scriptExtension: decode(scriptExtension),
    ...(library !== undefined && loaderFile !== undefined && { library: decode(library), loaderFile: decode(loaderFile) }),
    loaderLine: first.lineNumber,
    ...(sessionFile !== undefined && { sessionFile: decode(sessionFile) }),
    ...(deprecation && { sessionLine: deprecation.lineNumber }),
    timezone: deprecation === undefined || driver !== 'file' ? zoneOf(first) : decode(deprecation.timezoneName),
    plugins: plugins.map(decode),
    ...(deprecation && { dialect: deprecation.dialect }),
    ...Object.fromEntries(Object.entries(elsewhere).map(([key, path]) => [key, decode(path)])),
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

/** The folder of the program below the install root, and that of its libraries (2.1). */
const PROGRAM_FOLDER = /^(.*?)[/\\]program[/\\]/;
const LIBRARY_FOLDER = '/program/lib/';

const PLUGIN_FOLDER = '/plugins';

type Paths = Pick<Deployment, 'scriptExtension' | 'plugins'> &
  Partial<
    Pick<Deployment, 'installRoot' | 'library' | 'loaderFile' | 'sessionFile' | 'pluginsFolder' | 'loaderPath' | 'sessionPath'>
  >;

/** `<library>/<loader_file>` and `<library>/<session_file>`; the shortest library. */
const LIBRARY = /^([^\n]+?)\/([^\n]+)(?:\n\1\/([^\n]+))?$/;

/** `<plugin_name>/<plugin_name>.<script_ext>` of each plugin; the shortest name of the first, one extension for all. */
const PLUGINS = /^([^\n]+?)\/\1\.([^\n]+)(?:\n([^\n]+?)\/\3\.\2)*$/;

/** Finds the texts in paths: below one root where all stand there, else of the plugins and of the program by themselves. */
function findPaths(failures: readonly LoadFailure[], loaderPath: string, sessionPath: string | undefined): Paths | undefined {
  const pluginPaths = failures.map(({ pluginFilePath }) => pluginFilePath);
  const programPaths = sessionPath === undefined ? [loaderPath] : [loaderPath, sessionPath];
  if ([...pluginPaths, ...programPaths].some((path) => path.length > MAX_PATH_LENGTH)) return undefined;
  const programs = indexesOf(LIBRARY_FOLDER, loaderPath).flatMap(
    (at) => findProgram(loaderPath.slice(0, at), programPaths) ?? [],
  );
  for (const program of programs) {
    const plugins = findPlugins(program.installRoot + PLUGIN_FOLDER, pluginPaths);
    if (plugins !== undefined) return { ...program, ...plugins };
  }
  const installRoot = programs[0]?.installRoot ?? PROGRAM_FOLDER.exec(loaderPath)?.[1];
  const program = programs[0] ?? {
    ...(installRoot !== undefined && { installRoot }),
    loaderPath,
    ...(sessionPath !== undefined && { sessionPath }),
  };
  const [first = ''] = pluginPaths;
  const usual = indexesOf(`${PLUGIN_FOLDER}/`, first).map((at) => first.slice(0, at + PLUGIN_FOLDER.length));
  for (const pluginsFolder of [...usual, first.slice(0, first.lastIndexOf('/', first.lastIndexOf('/') - 1))]) {
    const plugins = findPlugins(pluginsFolder, pluginPaths);
    const isUsual = installRoot !== undefined && pluginsFolder === installRoot + PLUGIN_FOLDER;
    if (plugins !== undefined) return { ...program, ...plugins, ...(!isUsual && { pluginsFolder }) };
  }
  return undefined;
}

function findProgram(installRoot: string, paths: readonly string[]) {
  const [, library, loaderFile = '', sessionFile] = matchBelow(installRoot + LIBRARY_FOLDER, paths, LIBRARY) ?? [];
  if (library === undefined || (paths.length > 1 && sessionFile === undefined)) return undefined;
  return { installRoot, library, loaderFile, ...(sessionFile !== undefined && { sessionFile }) };
}

function findPlugins(folder: string, paths: readonly string[]): Pick<Paths, 'plugins' | 'scriptExtension'> | undefined {
  const [, , scriptExtension] = matchBelow(`${folder}/`, paths, PLUGINS) ?? [];
  if (scriptExtension === undefined) return undefined;
  const nameIn = (path: string): string =>
    path.slice(folder.length + 1, (folder.length + 1 + path.length - scriptExtension.length) / 2 - 1);
  return { scriptExtension, plugins: paths.map(nameIn) };
}

function indexesOf(text: string, path: string): readonly number[] {
  const indexes: number[] = [];
  for (let at = path.indexOf(text); at !== -1; at = path.indexOf(text, at + 1)) indexes.push(at);
  return indexes;
}

/** Matches the paths below a folder, a line each; undefined if one is elsewhere. */
function matchBelow(folder: string, paths: readonly string[], pattern: RegExp): RegExpExecArray | undefined {
  if (!paths.every((path) => path.startsWith(folder))) return undefined;
  return pattern.exec(paths.map((path) => path.slice(folder.length)).join('\n')) ?? undefined;
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
