import { DataError } from '../errors.js';
import { createDeployment, type Deployment, type DeploymentOptions } from '../log/deployment.js';
import { InferredGroups } from './inferred-groups.js';
import { nameSources } from './line-places.js';
import type { LogFiles } from './log-files.js';
import { drain } from './log-reader.js';
import { readLog, type PassedOver, type ReadLogOptions } from './read-log.js';
import { isUnusable, refuseUnusable } from './foreign-lines.js';

/**
 * Finds the options of the deployment that writes the groups of a log: the first one that writes two whole groups; else that of the first
 * whole group that a deployment writes.
 *
 * @param log is read as far as the second group
 * @param remedy what to do where no deployment writes a group, for the message
 * @param options `onEnd` is called for a log without a whole group alone
 * @returns undefined for a log without a whole group
 * @throws DataError for a log without a whole group that a deployment writes; it names the line of the first whole group
 */
export async function findDeploymentOptions(
  log: LogFiles,
  remedy: string,
  options: ReadLogOptions,
): Promise<DeploymentOptions | undefined> {
  const groups = new InferredGroups();
  const { search } = groups;
  const onEnd = (passedOver: PassedOver): void => {
    if (search.first === undefined && search.failure === undefined) options.onEnd?.(passedOver);
  };
  for await (const _ of readLog(log, drain, { ...options, onEnd }, groups))
    if (search.confirmed !== undefined) return search.confirmed;
  const { first, failure } = search;
  if (first !== undefined || failure === undefined) return first;
  const problem = `no deployment writes the first complete group: ${failure.cause.message}`;
  throw new DataError(log.placeOf(failure.line), problem, remedy, { cause: failure.cause });
}

/**
 * Infers the deployment of a log; that of the specification for an empty log.
 *
 * @param log give what a log's `peek` gives
 * @param remedy what to do where there is no such group or deployment, for the message
 * @throws DataError for a log without a complete group that a deployment writes
 */
export async function inferLogDeployment(log: LogFiles, remedy: string): Promise<Deployment> {
  const onEnd = (passedOver: PassedOver): void => {
    if (isUnusable(passedOver)) throw refuseUnusable(passedOver, log);
    if (passedOver.lines > 0) throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', remedy);
  };
  return createDeployment(await findDeploymentOptions(log, remedy, { onEnd }));
}
