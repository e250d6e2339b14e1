import type { LineBytes } from '../lines.js';
import { createDeployment, type Deployment } from '../log/deployment.js';
import { InferredGroups } from '../reading/inferred-groups.js';
import { drain, LogReader } from '../reading/log-reader.js';

const SEARCHED_BYTES = 16 << 20;

/** Looks for the installation of a log that somebody else reads: the deployment that writes its groups. */
export class InstallationSearch {
  readonly #groups = new InferredGroups();
  readonly #reader = new LogReader(this.#groups);
  #bytes = 0;

  read(block: LineBytes): void {
    if (this.#groups.search.confirmed !== undefined || this.#bytes > SEARCHED_BYTES) return;
    this.#bytes += block.bytes.length;
    this.#reader.add(block);
    drain(this.#reader);
  }

  /** True at the end of the log if another deployment writes its groups. Of a single group the path of the loader is enough. */
  isOther(deployment: Deployment): boolean {
    this.#reader.end();
    drain(this.#reader);
    const { confirmed, found } = this.#groups.search;
    if (confirmed === undefined) return found !== undefined && createDeployment(found).loaderPath !== deployment.loaderPath;
    const withoutDialect = (written: Deployment): string => JSON.stringify({ ...written, dialect: '' });
    return withoutDialect(createDeployment(found)) !== withoutDialect(deployment);
  }
}
