import { createDeployment } from '../log/deployment.js';
import { groupOf } from './group.js';
import { inferDeploymentOptions, NoDeploymentError } from './infer-deployment.js';
import type { RecordGroup } from './record-group.js';
import { WholeGroupMatcher } from './whole-group-matcher.js';

/** The most whole groups that are tried for one that a deployment writes; then the log is read record by record to its end. */
const MAX_TRIALS = 16;

/** Finds the deployment that writes the groups of a log: the first one that writes two. */
export class DeploymentSearch {
  /** Finds the groups of the deployment that was inferred last. */
  matcher: WholeGroupMatcher | undefined;
  /** True once the matcher has found another group than the one that its deployment was inferred from. */
  isConfirmed = false;
  #trials = 0;

  /** Takes a group that was put together from records. */
  add(found: RecordGroup): void {
    if (this.isConfirmed || this.#trials === MAX_TRIALS) return;
    const group = groupOf(found);
    if (group === undefined) return;
    this.#trials += 1;
    try {
      this.matcher = new WholeGroupMatcher(createDeployment(inferDeploymentOptions(group)));
    } catch (error) {
      if (!(error instanceof NoDeploymentError)) throw error;
    }
  }
}
