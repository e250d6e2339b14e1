import { DataError } from '../errors.js';
import type { LineBytes } from '../lines.js';
import { createDeployment, type Deployment, type DeploymentOptions, type Driver } from '../log/deployment.js';
import { RecordReader, type LogRecord } from '../log/line.js';
import { Grouper } from './grouper.js';
import { inferDeploymentOptions, NoDeploymentError, ShownOffsets, type InferredOptions } from './infer-deployment.js';
import { nameSources } from './line-places.js';
import type { LogFiles } from './log-files.js';
import { LogReader, mayEndGroup, readLog, type LogGroups, type ReadLogOptions } from './log-reader.js';
import { isUnusable, refuseUnusable, type PassedOver } from './passed-over.js';
import { inferPluginOrder, type PlacedRecord, type PluginOrder } from './plugin-order.js';
import { GroupCounts, groupOf, placesIn, type Entry, type RecordGroup } from './record-group.js';
import type { WholeGroup } from './whole-group.js';
import { WholeGroupMatcher } from './whole-group-matcher.js';

const SAMPLE_RECORDS = 512;
const SAMPLE_BYTES = 16 << 20;

/** After this many complete groups in a row without a deprecation record, none waits for one: the software was upgraded. */
const MAX_UNENDED = 64;

const MAX_TRIALS = 64;

/**
 * Groups the records of a log whose deployment is not known. The order of its plugins is inferred from its first 512 records, and at each
 * pause up to then. Its deployment is the first one that writes two groups: a group without a record looks like that of fewer plugins.
 */
export class InferredGroups implements LogGroups<Entry> {
  readonly grouper = new Grouper(0, false);
  readonly counted = new GroupCounts();
  confirmed: InferredOptions | undefined;
  failure: { readonly line: number; readonly cause: NoDeploymentError } | undefined;
  readonly #records = new RecordReader();
  /** The records that the order is inferred from, until it is final. While there is no order, they wait to be grouped. */
  #sample: PlacedRecord[] | undefined = [];
  #sampleBytes = 0;
  #order: PluginOrder | undefined;
  #placeIn = placesIn([]);
  #unended = 0;
  #trials = 0;
  /** The deployments that write a group, in the order of the groups. After an upgrade it is another: the matcher is that of the last. */
  readonly #inferred: InferredOptions[] = [];
  #matcher: WholeGroupMatcher | undefined;
  readonly #offsets = new ShownOffsets();

  constructor(private readonly driverOf: () => Driver = () => 'file') {}

  get found(): InferredOptions | undefined {
    const found = this.confirmed ?? this.#inferred[0];
    if (found === undefined || isZoneNamed(found)) return found;
    return { ...found, timezone: this.#offsets.findZone() ?? found.timezone };
  }

  get hasSessions(): boolean {
    return this.#order?.hasSessions === true;
  }

  get firstWaitingLine(): number {
    return (this.#order === undefined ? this.#sample?.[0]?.line : undefined) ?? Infinity;
  }

  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined {
    const group = this.#order === undefined ? undefined : this.#matcher?.match(bytes, at, line);
    if (typeof group !== 'object' || group.constants.deprecation !== undefined) return group;
    // After an upgrade a deprecation record may follow: the group is then read by its records.
    return mayEndGroup(bytes, at + group.byteLength) ? undefined : group;
  }

  passWhole(group: WholeGroup): void {
    this.counted.addComplete(group.line, group.constants.deprecation !== undefined);
    this.#offsets.add(group);
    this.confirmed ??= this.#inferred.at(-1);
    this.#sample = undefined;
  }

  passGroup(group: RecordGroup): void {
    this.counted.add(group);
    if (!group.isComplete) return;
    const hasEnding = group.ending !== undefined;
    this.#unended = hasEnding ? 0 : this.#unended + 1;
    if (this.#unended >= MAX_UNENDED) this.grouper.hasEndings = false;
    const isOfMost = this.confirmed === undefined ? hasEnding === this.#order?.hasEndings : group.isWhole;
    if (isOfMost) this.#inferDeployment(group);
  }

  add(text: string, line: number): boolean {
    const record = this.#records.read(text);
    if (record === undefined) return false;
    if (this.#order !== undefined) this.#group(record, line);
    if (this.#sample === undefined) return true;
    this.#sample.push({ record, line });
    this.#sampleBytes += text.length;
    if (this.#sample.length >= SAMPLE_RECORDS || this.#sampleBytes > SAMPLE_BYTES) this.#endSample();
    return true;
  }

  pause(): void {
    this.#inferOrder(true);
    this.grouper.settle();
  }

  endWait(): void {
    if (this.firstWaitingLine < Infinity) this.#endSample();
  }

  /** Infers the order of plugins for the last time. No group of a sample without an order is whole. */
  #endSample(): void {
    this.#inferOrder();
    if (this.#order === undefined) {
      this.#use([], 1, true);
      this.grouper.giveUp();
    }
    this.#sample = this.#order === undefined ? [] : undefined;
    this.#sampleBytes = 0;
  }

  /** @param mayBeCut true where more records of a group that is cut off may come: one that nothing ends tells no order */
  #inferOrder(mayBeCut = false): void {
    const order = this.#sample && inferPluginOrder(this.#sample);
    if (order === undefined || (mayBeCut && !order.hasEndings && order.groups < 2)) return;
    const before = this.#order;
    this.#order = order;
    if (order.paths.join(' ') !== before?.paths.join(' ')) this.#use(order.paths, order.paths.length, before === undefined);
  }

  #use(paths: readonly string[], end: number, areWaiting: boolean): void {
    this.grouper.giveUp(end);
    this.#placeIn = placesIn(paths);
    const waiting = areWaiting ? (this.#sample ?? []) : [];
    if (waiting.some(({ record }) => record.kind === 'deprecation')) this.grouper.hasEndings = true;
    for (const { record, line } of waiting) this.#group(record, line);
  }

  #group(record: LogRecord, line: number): void {
    if (record.kind === 'deprecation') this.grouper.hasEndings = true;
    this.grouper.add({ record, line, place: this.#placeIn(record) });
  }

  #inferDeployment(complete: RecordGroup): void {
    if (complete.firstFailure !== undefined) this.#offsets.add(complete.firstFailure);
    if (this.#trials === MAX_TRIALS) return;
    this.#trials += 1;
    try {
      const options = inferDeploymentOptions(groupOf(complete), this.driverOf());
      const key = JSON.stringify(options);
      this.confirmed ??= this.#inferred.find((known) => JSON.stringify(known) === key);
      if (JSON.stringify(this.#inferred.at(-1)) === key) return;
      this.#inferred.push(options);
      this.#matcher = new WholeGroupMatcher(createDeployment(options));
    } catch (error) {
      if (!(error instanceof NoDeploymentError)) throw error;
      this.failure ??= { line: complete.firstLine, cause: error };
    }
  }
}

function isZoneNamed({ deprecation, driver = 'file' }: DeploymentOptions): boolean {
  return deprecation !== false && driver === 'file';
}

export interface InferredDeployment {
  readonly deployment: Deployment;
  readonly hasSessions: boolean;
}

/**
 * Finds the options of the deployment that writes two groups of a log, else of the first that writes one; none for a log without a whole
 * group. Reads on to the end where no record names the time zone.
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
  if (found !== undefined || failure === undefined) return { options: found, hasSessions };
  const problem = `no deployment writes the first complete group: ${failure.cause.message}`;
  throw new DataError(log.placeOf(failure.line), problem, remedy, { cause: failure.cause });
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
