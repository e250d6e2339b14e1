import { decodeText } from '../log/byte-string.js';
import { createDeployment, DeploymentError, type Deployment, type DeploymentOptions } from '../log/deployment.js';
import type { LoadFailure } from '../log/line.js';
import { formatUtcOffset } from '../log/timestamp.js';
import { zoneNamed } from '../log/zone.js';
import { groupOf, type Group, type RecordGroup } from './record-group.js';
import { constantsOf, hasConstants } from './whole-group.js';
import { WholeGroupMatcher } from './whole-group-matcher.js';

/** The error of a group that no deployment writes. The message is one line and quotes no input. */
export class NoDeploymentError extends Error {
  override readonly name = 'NoDeploymentError';
}

/** The options of a deployment that the records of a group tell; paths that follow from others are left out. */
export type InferredOptions = DeploymentOptions & Pick<Deployment, 'timezone'>;

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
export function inferDeploymentOptions(group: Group): InferredOptions {
  const { failures, deprecation } = group;
  const [first] = failures;
  if (first === undefined || deprecation === undefined) throw new NoDeploymentError('the group lacks a record');
  const paths = findPaths(failures, first.pluginLoaderFilePath, deprecation.sessionFilePath);
  if (paths === undefined) {
    throw new NoDeploymentError(
      'the paths of its plugins, of the loader and of the session component are not those of one folder',
    );
  }
  const options = {
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
  // The paths of a deployment can be cut out of paths of other shapes, too.
  const constants = constantsOf(deploymentOf(options));
  if (![...failures, deprecation].every((record, place) => hasConstants(record, place, constants)))
    throw new NoDeploymentError('its records differ in what is one for a whole deployment');
  const offset = zoneNamed(options.timezone).offsetAt(first.second);
  if (first.second + offset !== first.localSecond || formatUtcOffset(offset) !== first.utcOffset)
    throw new NoDeploymentError('its UTC offset is not that of its time zone at that time');
  return options;
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

type Paths = Pick<Deployment, 'installRoot' | 'scriptExtension' | 'library' | 'loaderFile' | 'sessionFile' | 'plugins'>;

/** `<library>/<loader_file>` and `<library>/<session_file>`, each on a line; the shortest library. */
const LIBRARY = /^([^\n]+?)\/([^\n]+)\n\1\/([^\n]+)$/;

/** `<plugin_name>/<plugin_name>.<script_ext>` of each plugin, each on a line; the shortest name of the first, one extension for all. */
const PLUGINS = /^([^\n]+?)\/\1\.([^\n]+)(?:\n([^\n]+?)\/\3\.\2)*$/;

function findPaths(failures: readonly LoadFailure[], loaderPath: string, sessionPath: string): Paths | undefined {
  const pluginPaths = failures.map(({ pluginFilePath }) => pluginFilePath);
  if ([...pluginPaths, loaderPath, sessionPath].some((path) => path.length > MAX_PATH_LENGTH)) return undefined;
  for (let at = loaderPath.indexOf(LIBRARY_FOLDER); at !== -1; at = loaderPath.indexOf(LIBRARY_FOLDER, at + 1)) {
    const installRoot = loaderPath.slice(0, at);
    const [, library, loaderFile = '', sessionFile = ''] =
      matchBelow(installRoot + LIBRARY_FOLDER, [loaderPath, sessionPath], LIBRARY) ?? [];
    const folder = installRoot + PLUGIN_FOLDER;
    const [, , scriptExtension] = matchBelow(folder, pluginPaths, PLUGINS) ?? [];
    if (library === undefined || scriptExtension === undefined) continue;
    const plugins = pluginPaths.map((path) =>
      path.slice(folder.length, (folder.length + path.length - scriptExtension.length) / 2 - 1),
    );
    return { installRoot, scriptExtension, library, loaderFile, sessionFile, plugins };
  }
  return undefined;
}

/** Matches what stands below a folder in each path; undefined if one is elsewhere. */
function matchBelow(folder: string, paths: readonly string[], pattern: RegExp): RegExpExecArray | undefined {
  if (!paths.every((path) => path.startsWith(folder))) return undefined;
  return pattern.exec(paths.map((path) => path.slice(folder.length)).join('\n')) ?? undefined;
}

/** The most whole groups whose deployment is inferred; then the log is read record by record to its end. */
const MAX_TRIALS = 64;

/**
 * Finds the deployment that writes the groups of a log: the first one that writes two. A group with a missing record looks like the group
 * of an installation with fewer plugins.
 */
export class DeploymentSearch {
  /** Finds the groups of the deployment that was inferred last. */
  matcher: WholeGroupMatcher | undefined;
  /** The deployment that writes two groups. */
  confirmed: InferredOptions | undefined;
  /** The first group that no deployment writes. */
  failure: { readonly line: number; readonly cause: NoDeploymentError } | undefined;
  /** The deployments that write a group, in the order of the groups. */
  readonly #inferred: InferredOptions[] = [];
  #trials = 0;

  /** The deployment of the first group that a deployment writes. */
  get first(): InferredOptions | undefined {
    return this.#inferred[0];
  }

  /** Takes a group that was put together from records. */
  add(found: RecordGroup): void {
    if (this.confirmed !== undefined || this.#trials === MAX_TRIALS) return;
    const group = groupOf(found);
    if (group === undefined) return;
    this.#trials += 1;
    try {
      const options = inferDeploymentOptions(group);
      const key = JSON.stringify(options);
      this.confirmed = this.#inferred.find((known) => JSON.stringify(known) === key);
      this.#inferred.push(options);
      this.matcher = new WholeGroupMatcher(createDeployment(options));
    } catch (error) {
      if (!(error instanceof NoDeploymentError)) throw error;
      this.failure ??= { line: group.line, cause: error };
    }
  }

  /** Confirms the deployment of the matcher, which has found another group than the one that it was inferred from. */
  confirm(): void {
    this.confirmed ??= this.#inferred.at(-1);
  }
}
