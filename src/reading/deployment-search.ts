import { createDeployment, type DeploymentOptions } from '../log/deployment.js';
import { groupOf } from './record-group.js';
import { inferDeploymentOptions, NoDeploymentError } from './infer-deployment.js';
import type { RecordGroup } from './record-group.js';
import { WholeGroupMatcher } from './whole-group-matcher.js';

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
  confirmed: Required<DeploymentOptions> | undefined;
  /** The first group that no deployment writes. */
  failure: { readonly line: number; readonly cause: NoDeploymentError } | undefined;
  /** The deployments that write a group, in the order of the groups. */
  readonly #inferred: Required<DeploymentOptions>[] = [];
  #trials = 0;

  /** The deployment of the first group that a deployment writes. */
  get first(): Required<DeploymentOptions> | undefined {
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
