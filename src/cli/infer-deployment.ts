import { DataError } from '../errors.js';
import { createDeployment, type Deployment } from '../log/deployment.js';
import { findFirstGroup } from '../reading/first-group.js';
import { nameSources } from '../reading/line-places.js';
import type { Remainder } from '../reading/read-log.js';
import { deploymentOf } from './deployment-of.js';
import type { OpenLogs } from './open-logs.js';
import { refuseUnusable } from '../reading/unusable-log.js';

/**
 * Infers the deployment of a log's first complete group; that of the specification for an empty log. To be called before the log is
 * read.
 *
 * @throws DataError for a log without a complete group, or with a first one that no deployment writes
 */
export async function inferDeployment(logs: Pick<OpenLogs, 'peek'>, remedy: string): Promise<Deployment> {
  const log = logs.peek();
  let remainder: Remainder | undefined;
  const group = await findFirstGroup(log, {
    onEnd: (found) => {
      remainder = found;
    },
  });
  if (group !== undefined) return createDeployment(deploymentOf(group, log, remedy));
  if (remainder === undefined || remainder.lines === 0) return createDeployment();
  if (remainder.foreign.count === remainder.lines) throw refuseUnusable(remainder, log);
  throw new DataError({ source: nameSources(log) }, 'the log holds no complete group', remedy);
}
