import { DataError } from '../errors.js';
import { createDeployment, type Deployment, type DeploymentOptions } from '../log/deployment.js';
import { isZoneNamed } from './infer-deployment.js';
import { InferredGroups } from './inferred-groups.js';
import { nameSources } from './line-places.js';
import type { LogFiles } from './log-files.js';
import { readLog, type ReadLogOptions } from './log-reader.js';
import { isUnusable, refuseUnusable, type PassedOver } from './passed-over.js';

export interface InferredDeployment {
  readonly deployment: Deployment;
  /** True where groups of the log show a session. */
  readonly hasSessions: boolean;
}

/**
 * Finds the options of the deployment that writes two groups of a log, else of the first that writes one; none for a log without a whole
 * group. Reads on to the end where no record names the time zone.
 *
 * @throws DataError for a log of groups that no deployment writes
 */
export async function findDeploymentOptions(
  log: LogFiles,
  remedy: string,
  options: ReadLogOptions,
): Promise<Pick<InferredDeployment, 'hasSessions'> & { readonly options: DeploymentOptions | undefined }> {
  const groups = new InferredGroups(() => log.driver);
  const onEnd = (passedOver: PassedOver): void => {
    if (groups.found === undefined && groups.failure === undefined) options.onEnd?.(passedOver);
  };
  for await (const reader of readLog(log, groups, { ...options, onEnd })) {
    reader.drain();
    if (groups.confirmed !== undefined && isZoneNamed(groups.confirmed)) break;
  }
  const { found, failure, hasSessions } = groups;
  if (found === undefined && failure !== undefined) {
    const problem = `no deployment writes the first complete group: ${failure.cause.message}`;
    throw new DataError(log.placeOf(failure.line), problem, remedy, { cause: failure.cause });
  }
  return { options: found, hasSessions };
}

/** Infers the deployment of a log; that of the specification for an empty log. @throws DataError for a log without any */
export async function inferLogDeployment(log: LogFiles, remedy: string): Promise<InferredDeployment> {
  const onEnd = (passedOver: PassedOver): void => {
    if (isUnusable(passedOver)) throw refuseUnusable(passedOver, log);
    if (passedOver.lines > 0) throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', remedy);
  };
  const { options, hasSessions } = await findDeploymentOptions(log, remedy, { onEnd });
  return { deployment: createDeployment(options), hasSessions };
}
