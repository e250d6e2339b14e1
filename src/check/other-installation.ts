import type { LineBytes } from '../lines.js';
import { createDeployment, type Deployment, type Driver } from '../log/deployment.js';
import { InferredGroups } from '../reading/inferred-groups.js';
import { LogReader } from '../reading/log-reader.js';

const SEARCHED_BYTES = 16 << 20;

/** Looks for the installation of a log that somebody else reads: the deployment that writes its groups. */
export class InstallationSearch {
  readonly #groups: InferredGroups;
  readonly #reader: LogReader;
  #bytes = 0;

  constructor(driverOf: () => Driver) {
    this.#groups = new InferredGroups(driverOf);
    this.#reader = new LogReader(this.#groups);
  }

  read(block: LineBytes): void {
    if (this.#groups.confirmed !== undefined || this.#bytes > SEARCHED_BYTES) return;
    this.#bytes += block.bytes.length;
    this.#reader.add(block);
    this.#reader.drain();
  }

  /** True at the end of the log if another deployment writes its groups. Of a single group the path of the loader is enough. */
  isOther(deployment: Deployment): boolean {
    this.#reader.end();
    this.#reader.drain();
    const { confirmed, found } = this.#groups;
    if (confirmed === undefined) return found !== undefined && createDeployment(found).loaderPath !== deployment.loaderPath;
    const told = (written: Deployment): string => JSON.stringify({ ...written, dialect: '' });
    return told(createDeployment(found)) !== told(deployment);
  }
}
