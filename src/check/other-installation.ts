import type { LineBytes } from '../lines.js';
import { createDeployment, type Deployment, type DeploymentOptions } from '../log/deployment.js';
import { groupOf } from '../reading/group.js';
import { inferDeploymentOptions, NoDeploymentError } from '../reading/infer-deployment.js';
import { InferredGroups } from '../reading/inferred-groups.js';
import { LogReader } from '../reading/log-reader.js';
import type { RecordGroup } from '../reading/record-group.js';

/** The installation is looked for in so much of a log. */
const SEARCHED_BYTES = 16 << 20;

/**
 * Looks for the installation of a log that somebody else reads: the deployment that writes its groups. Two whole groups decide, since a
 * group with a missing record looks like the group of an installation with fewer plugins. Of a single group, its install root is enough:
 * all its records agree on that.
 */
export class InstallationSearch {
  readonly #reader = new LogReader(new InferredGroups());
  #bytes = 0;
  /** The deployment of the first group that a deployment writes. */
  #installation: Deployment | undefined;
  /** True once another group is found that this deployment writes. */
  #isConfirmed = false;

  /** Takes the next block of the log; does nothing once the installation is found, or 16 MiB have been searched. */
  read(block: LineBytes): void {
    if (this.#isConfirmed || this.#bytes > SEARCHED_BYTES) return;
    this.#bytes += block.bytes.length;
    this.#reader.add(block);
    this.#search();
  }

  /** Takes the end of the log. */
  end(): void {
    if (this.#isConfirmed) return;
    this.#reader.end();
    this.#search();
  }

  /** True if another deployment than the given one writes the groups, in either dialect. */
  isOther(deployment: Deployment): boolean {
    const installation = this.#installation;
    if (installation === undefined) return false;
    return this.#isConfirmed ? !areAlike(installation, deployment) : installation.installRoot !== deployment.installRoot;
  }

  #search(): void {
    for (let event = this.#reader.next(); event !== undefined && !this.#isConfirmed; event = this.#reader.next()) {
      // Whole groups are matched with what an installation before them writes.
      if (event.kind === 'whole') this.#isConfirmed = true;
      else if (event.kind === 'group') this.#add(event.group);
    }
  }

  #add(found: RecordGroup): void {
    const deployment = deploymentOf(found);
    if (deployment === undefined) return;
    if (this.#installation === undefined) this.#installation = deployment;
    else if (areAlike(this.#installation, deployment)) this.#isConfirmed = true;
  }
}

function deploymentOf(found: RecordGroup): Deployment | undefined {
  const group = groupOf(found);
  const options = group === undefined ? undefined : tryToInfer(group);
  return options === undefined ? undefined : createDeployment(options);
}

function tryToInfer(group: Parameters<typeof inferDeploymentOptions>[0]): DeploymentOptions | undefined {
  try {
    return inferDeploymentOptions(group);
  } catch (error) {
    if (error instanceof NoDeploymentError) return undefined;
    throw error;
  }
}

/** True for deployments that are equal but for their dialects. */
function areAlike(deployment: Deployment, other: Deployment): boolean {
  return JSON.stringify({ ...deployment, dialect: '' }) === JSON.stringify({ ...other, dialect: '' });
}
