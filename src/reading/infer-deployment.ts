import { decodeText } from '../log/byte-string.js';
import { createDeployment, DeploymentError, type Deployment, type DeploymentOptions } from '../log/deployment.js';
import type { Deprecation, LoadFailure } from '../log/line.js';
import { stampAt } from '../log/timestamp.js';
import type { Group } from './record-group.js';
import { constantsOf, hasConstants } from './whole-group.js';

/** The error of a group that no deployment writes. The message is one line and quotes no input. */
export class NoDeploymentError extends Error {
  override readonly name = 'NoDeploymentError';
}

/** No file has a longer path (PATH_MAX); longer ones are not searched. */
const MAX_PATH_LENGTH = 4096;

/** The library folder and the plugin folder below the install root (2.1). */
const LIBRARY_FOLDER = '/program/lib/';
const PLUGIN_FOLDER = '/plugins/';

/**
 * Infers the options of the deployment that writes a whole group byte for byte (2.1 to 2.3): texts, as in a deployment file.
 *
 * @throws NoDeploymentError if no deployment does: plugins and loader have different roots, a path has another shape, the time zone is
 *   unknown to this Node or has another offset at that instant, a text is not UTF-8
 */
export function inferDeploymentOptions(group: Group): Required<DeploymentOptions> {
  const { failures, deprecation } = group;
  const [first] = failures;
  if (first === undefined || deprecation === undefined) throw new NoDeploymentError('the group lacks a record');
  const options = findOptions(failures, first, deprecation);
  let deployment: Deployment;
  try {
    deployment = createDeployment(options);
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw new NoDeploymentError(`its ${error.key} ${error.problem}`, { cause: error });
  }
  checkAgainst(group, first, deprecation, deployment);
  return options;
}

function findOptions(
  failures: readonly LoadFailure[],
  first: LoadFailure,
  deprecation: Deprecation,
): Required<DeploymentOptions> {
  const paths = findPaths(failures, first.pluginLoaderFilePath, deprecation.sessionFilePath);
  if (paths === undefined) {
    throw new NoDeploymentError(
      'the paths of its plugins, of the loader and of the session component are not those of one folder',
    );
  }
  return {
    installRoot: decode(paths.installRoot === '' ? '/' : paths.installRoot),
    runtimeTag: decode(first.runtimeTag),
    scriptExtension: decode(paths.scriptExtension),
    library: decode(paths.library),
    loaderFile: decode(paths.loaderFile),
    loaderLine: first.lineNumber,
    sessionFile: decode(paths.sessionFile),
    sessionLine: deprecation.lineNumber,
    timezone: decode(deprecation.timezoneName),
    plugins: paths.plugins.map(decode),
    dialect: deprecation.dialect,
  };
}

function decode(bytes: string): string {
  const text = decodeText(bytes);
  if (text === undefined) throw new NoDeploymentError('a path or a name in it is no UTF-8, which a deployment file must be');
  return text;
}

type Paths = Pick<Deployment, 'installRoot' | 'scriptExtension' | 'library' | 'loaderFile' | 'sessionFile' | 'plugins'>;

function findPaths(failures: readonly LoadFailure[], loaderPath: string, sessionPath: string): Paths | undefined {
  const pluginPaths = failures.map(({ pluginFilePath }) => pluginFilePath);
  if ([...pluginPaths, loaderPath, sessionPath].some((path) => path.length > MAX_PATH_LENGTH)) return undefined;
  for (const rootLength of indexesOf(LIBRARY_FOLDER, loaderPath)) {
    const installRoot = loaderPath.slice(0, rootLength);
    const library = splitLibrary(loaderPath, sessionPath, installRoot + LIBRARY_FOLDER);
    const plugins = splitPlugins(pluginPaths, installRoot + PLUGIN_FOLDER);
    if (library !== undefined && plugins !== undefined) return { installRoot, ...library, ...plugins };
  }
  return undefined;
}

/** Splits `<folder><Lib>/<loader_file>` and `<folder><Lib>/<session_file>`, with the shortest library. */
function splitLibrary(
  loaderPath: string,
  sessionPath: string,
  folder: string,
): Omit<Paths, 'plugins' | 'installRoot' | 'scriptExtension'> | undefined {
  for (const slash of indexesOf('/', loaderPath)) {
    if (slash <= folder.length || !sessionPath.startsWith(loaderPath.slice(0, slash + 1))) continue;
    const loaderFile = loaderPath.slice(slash + 1);
    const sessionFile = sessionPath.slice(slash + 1);
    if (loaderFile !== '' && sessionFile !== '')
      return { library: loaderPath.slice(folder.length, slash), loaderFile, sessionFile };
  }
  return undefined;
}

/** Splits each `<folder><plugin_name>/<plugin_name>.<script_ext>`, with one extension for all. */
function splitPlugins(paths: readonly string[], folder: string): Pick<Paths, 'plugins' | 'scriptExtension'> | undefined {
  const [first = ''] = paths;
  for (const name of namesIn(first, folder)) {
    const scriptExtension = first.slice(folder.length + 2 * name.length + 2);
    const plugins = paths.map((path) =>
      namesIn(path, folder).find(
        (plugin) =>
          path.length === folder.length + 2 * plugin.length + 2 + scriptExtension.length && path.endsWith(`.${scriptExtension}`),
      ),
    );
    if (plugins.every((plugin) => plugin !== undefined)) return { plugins, scriptExtension };
  }
  return undefined;
}

/** The names that fit `<folder><name>/<name>.<extension>`. In odd cases there are several. */
function namesIn(path: string, folder: string): string[] {
  if (!path.startsWith(folder)) return [];
  return indexesOf('/', path)
    .filter((slash) => slash > folder.length)
    .map((slash) => path.slice(folder.length, slash))
    .filter(
      (name) => path.startsWith(`${name}.`, folder.length + name.length + 1) && path.length > folder.length + 2 * name.length + 2,
    );
}

function indexesOf(part: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

/** Compares the group with what the deployment writes: the paths of a deployment can be cut out of paths of other shapes, too. */
function checkAgainst({ failures }: Group, first: LoadFailure, deprecation: Deprecation, deployment: Deployment): void {
  const constants = constantsOf(deployment);
  if (![...failures, deprecation].every((record, place) => hasConstants(record, place, constants)))
    throw new NoDeploymentError('its records differ in what is one for a whole deployment');
  if (!isStampOf(first, deployment)) throw new NoDeploymentError('its UTC offset is not that of its time zone at that time');
}

function isStampOf({ second, timestamp, utcOffset }: LoadFailure, deployment: Deployment): boolean {
  try {
    const stamp = stampAt(second, deployment);
    return stamp.timestamp === timestamp && stamp.utcOffset === utcOffset;
  } catch (error) {
    // The offset is so wrong that it leads out of the years that a record can show.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
