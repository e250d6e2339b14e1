import { DataError } from '../errors.js';
import type { LineBytes } from '../lines.js';
import { createDeployment, type Deployment, type DeploymentOptions, type Driver } from '../log/deployment.js';
import { isZoneNamed } from './infer-deployment.js';
import { InferredGroups } from './inferred-groups.js';
import { nameSources } from './line-places.js';
import type { LogFiles } from './log-files.js';
import { LogReader, readLog, type ReadLogOptions } from './log-reader.js';
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
