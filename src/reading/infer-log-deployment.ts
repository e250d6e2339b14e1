import { DataError } from '../errors.js';
import { createDeployment, type Deployment, type DeploymentOptions } from '../log/deployment.js';
import { groupOf } from './group.js';
import { inferDeploymentOptions, NoDeploymentError } from './infer-deployment.js';
import { nameSources } from './line-places.js';
import type { LogFiles } from './log-files.js';
import type { LogEvents } from './log-reader.js';
import { readLog, type PassedOver, type ReadLogOptions } from './read-log.js';
import type { RecordGroup } from './record-group.js';
import { isUnusable, refuseUnusable } from './unusable-log.js';

/** The most groups of single records whose deployment is inferred. */
const MAX_TRIALS = 64;

/**
 * Finds the options of the deployment that writes the groups of a log: the first one that writes two whole groups; else that of the first
 * whole group that a deployment writes.
 *
 * @param log is read as far as the second group
 * @param remedy what to do where no deployment writes a group, for the message
 * @returns undefined for a log without a whole group
 * @throws DataError for a log without a whole group that a deployment writes; it names the line of the first whole group
 */
export async function findDeploymentOptions(
  log: LogFiles,
  remedy: string,
  options: ReadLogOptions,
): Promise<Required<DeploymentOptions> | undefined> {
  const deployments = new Deployments(log, remedy);
  const onEnd = (passedOver: PassedOver): void => {
    if (!deployments.hasGroup) options.onEnd?.(passedOver);
  };
  for await (const [found] of readLog(log, deployments.take, { ...options, onEnd })) if (found !== undefined) return found;
  return deployments.first;
}

/**
 * Infers the deployment of a log; that of the specification for an empty log.
 *
 * @param log give what a log's `peek` gives
 * @param remedy what to do where there is no such group or deployment, for the message
 * @throws DataError for a log without a complete group that a deployment writes
 */
export async function inferLogDeployment(log: LogFiles, remedy: string): Promise<Deployment> {
  let remainder: PassedOver | undefined;
  const onEnd = (passedOver: PassedOver): void => {
    remainder = passedOver;
  };
  const options = await findDeploymentOptions(log, remedy, { onEnd });
  if (options !== undefined) return createDeployment(options);
  if (remainder === undefined || remainder.lines === 0) return createDeployment();
  if (isUnusable(remainder)) throw refuseUnusable(remainder, log);
  throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', remedy);
}

/** The deployments that write the groups of a log. */
class Deployments {
  readonly #log: LogFiles;
  readonly #remedy: string;
  readonly #known = new Set<string>();
  #first: Required<DeploymentOptions> | undefined;
  /** The one that whole groups are compared with. */
  #latest: Required<DeploymentOptions> | undefined;
  #error: DataError | undefined;
  #trials = 0;

  constructor(log: LogFiles, remedy: string) {
    this.#log = log;
    this.#remedy = remedy;
  }

  get hasGroup(): boolean {
    return this.#trials > 0;
  }

  /** That of the first group that a deployment writes; undefined if there is no group. @throws DataError if no deployment writes one */
  get first(): Required<DeploymentOptions> | undefined {
    if (this.#first === undefined && this.#error !== undefined) throw this.#error;
    return this.#first;
  }

  /** Gives the deployments that write two groups. */
  readonly take = (events: LogEvents): readonly Required<DeploymentOptions>[] => {
    for (let event = events.next(); event !== undefined; event = events.next()) {
      const found =
        event.kind === 'whole'
          ? this.#latest
          : event.kind === 'group' && event.group.isWhole
            ? this.#infer(event.group)
            : undefined;
      if (found !== undefined) return [found];
    }
    return [];
  };

  /** The deployment that writes a group, if it is known already. */
  #infer(found: RecordGroup): Required<DeploymentOptions> | undefined {
    const group = groupOf(found);
    if (group === undefined || this.#trials === MAX_TRIALS) return undefined;
    this.#trials += 1;
    try {
      const options = inferDeploymentOptions(group);
      this.#first ??= options;
      this.#latest = options;
      const key = JSON.stringify(options);
      if (this.#known.has(key)) return options;
      this.#known.add(key);
    } catch (error) {
      if (!(error instanceof NoDeploymentError)) throw error;
      const problem = `no deployment writes the first complete group: ${error.message}`;
      this.#error ??= new DataError(this.#log.placeOf(group.line), problem, this.#remedy, { cause: error });
    }
    return undefined;
  }
}
