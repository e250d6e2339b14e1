import type { Deployment, DeploymentOptions } from '../log/deployment.js';
import { createDeployment } from '../log/deployment.js';
import { inferDeploymentOptions, NoDeploymentError } from '../reading/infer-deployment.js';
import type { Group } from '../reading/group.js';

/**
 * True for a group that another deployment writes: the log is that of another installation, or is held against the wrong deployment
 * file. Both dialects are accepted.
 */
export function isOfOtherInstallation(group: Group, deployment: Deployment): boolean {
  const inferred = tryToInfer(group);
  if (inferred === undefined) return false;
  return JSON.stringify({ ...createDeployment(inferred), dialect: '' }) !== JSON.stringify({ ...deployment, dialect: '' });
}

function tryToInfer(group: Group): DeploymentOptions | undefined {
  try {
    return inferDeploymentOptions(group);
  } catch (error) {
    if (error instanceof NoDeploymentError) return undefined;
    throw error;
  }
}
