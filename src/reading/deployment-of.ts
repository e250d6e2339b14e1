import { DataError } from '../errors.js';
import type { DeploymentOptions } from '../log/deployment.js';
import { inferDeploymentOptions, NoDeploymentError } from './infer-deployment.js';
import type { LinePlaces } from './line-places.js';
import type { Group } from './group.js';

/**
 * Infers the options of the deployment that writes the first complete group of a log.
 *
 * @param remedy what to do where no deployment does, for the message
 * @throws DataError that names the line of the group
 */
export function deploymentOf(group: Group, { placeOf }: LinePlaces, remedy: string): Required<DeploymentOptions> {
  try {
    return inferDeploymentOptions(group);
  } catch (error) {
    if (!(error instanceof NoDeploymentError)) throw error;
    const problem = `no deployment writes the first complete group: ${error.message}`;
    throw new DataError(placeOf(group.line), problem, remedy, { cause: error });
  }
}
