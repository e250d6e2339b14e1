import { DataError } from '../errors.js';
import { createDeployment, type Deployment } from '../log/deployment.js';
import { deploymentOf } from './deployment-of.js';
import { findFirstGroup } from './first-group.js';
import { nameSources } from './line-places.js';
import type { LogFiles } from './log-files.js';
import type { PassedOver } from './read-log.js';
import { isUnusable, refuseUnusable } from './unusable-log.js';

/**
 * Infers the deployment of a log's first complete group; that of the specification for an empty log.
 *
 * @param log is read as far as that group: give what a log's `peek` gives
 * @param remedy what to do where there is no such group or deployment, for the message
 * @throws DataError for a log without a complete group, or with a first one that no deployment writes
 */
export async function inferLogDeployment(log: LogFiles, remedy: string): Promise<Deployment> {
  let remainder: PassedOver | undefined;
  const group = await findFirstGroup(log, {
    onEnd: (found) => {
      remainder = found;
    },
  });
  if (group !== undefined) return createDeployment(deploymentOf(group, log, remedy));
  if (remainder === undefined || remainder.lines === 0) return createDeployment();
  if (isUnusable(remainder)) throw refuseUnusable(remainder, log);
  throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', remedy);
}
