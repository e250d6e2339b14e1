import { createDeployment, type Driver } from '../log/deployment.js';
import { RecordReader, type LogRecord } from '../log/line.js';
import { GroupCounts } from './group-counts.js';
import { Grouper } from './grouper.js';
import {
  inferDeploymentOptions,
  isZoneNamed,
  NoDeploymentError,
  ShownOffsets,
  type InferredOptions,
} from './infer-deployment.js';
import { mayEndGroup, type LogGroups } from './log-reader.js';
import { inferPluginOrder, type PlacedRecord, type PluginOrder } from './plugin-order.js';
import { groupOf, placesIn, type Entry, type RecordGroup } from './record-group.js';
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
  readonly grouper = new Grouper(0, { hasEndings: false });
  readonly counted = new GroupCounts();
  confirmed: InferredOptions | undefined;
  /** The first group that no deployment writes. */
  failure: { readonly line: number; readonly cause: NoDeploymentError } | undefined;
  readonly #driverOf: () => Driver;
  readonly #records = new RecordReader();
  /** The records that the order is inferred from, until it is final. While there is no order, they wait to be grouped. */
  #sample: PlacedRecord[] = [];
  #sampleBytes = 0;
  #isFinal = false;
  #order: PluginOrder | undefined;
  #placeIn = placesIn([]);
  #unended = 0;
  #trials = 0;
  /** The deployments that write a group, in the order of the groups, and the finder of groups of the last: after an upgrade it is another. */
  readonly #inferred: InferredOptions[] = [];
  #matcher: WholeGroupMatcher | undefined;
  readonly #offsets = new ShownOffsets();

  constructor(driverOf: () => Driver = () => 'file') {
    this.#driverOf = driverOf;
  }

  get found(): InferredOptions | undefined {
    const found = this.confirmed ?? this.#inferred[0];
    if (found === undefined || isZoneNamed(found)) return found;
    return { ...found, timezone: this.#offsets.findZone() ?? found.timezone };
  }

  get hasSessions(): boolean {
    return this.#order?.hasSessions === true;
  }

  get firstWaitingLine(): number {
    return (this.#order === undefined ? this.#sample[0]?.line : undefined) ?? Infinity;
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
    this.#isFinal = true;
  }

  passGroup(group: RecordGroup): void {
    const { isComplete, isWhole, hasEnding } = group;
    this.counted.add(group);
    if (!isComplete) return;
    this.#unended = hasEnding ? 0 : this.#unended + 1;
    if (this.#unended >= MAX_UNENDED) this.grouper.hasEndings = false;
    const isOfMost = this.confirmed === undefined ? hasEnding === this.#order?.hasEndings : isWhole;
    if (isOfMost) this.#inferDeployment(group);
  }

  add(text: string, line: number): boolean {
    const record = this.#records.read(text);
    if (record === undefined) return false;
    if (this.#order !== undefined) this.#group(record, line);
    if (this.#isFinal) return true;
    this.#sample.push({ record, line });
    this.#sampleBytes += text.length;
    if (this.#sample.length >= SAMPLE_RECORDS || this.#sampleBytes > SAMPLE_BYTES) this.#endSample();
    return true;
  }

  pause(): void {
    if (!this.#isFinal) this.#inferOrder(true);
    this.grouper.settle();
  }

  endWait(): void {
    if (this.#order === undefined && this.#sample.length > 0) this.#endSample();
  }

  /** Infers the order of plugins for the last time. No group of a sample without an order is whole. */
  #endSample(): void {
    this.#inferOrder();
    this.#isFinal = this.#order !== undefined;
    if (this.#order === undefined) {
      this.#use([], 1, true);
      this.grouper.giveUp();
    }
    this.#sample = [];
    this.#sampleBytes = 0;
  }

  /** @param mayBeCut true where more records of a group that is cut off may come: one that nothing ends tells no order */
  #inferOrder(mayBeCut = false): void {
    const order = inferPluginOrder(this.#sample);
    if (order === undefined || (mayBeCut && !order.hasEndings && order.groups < 2)) return;
    const before = this.#order;
    this.#order = order;
    if (order.paths.join(' ') !== before?.paths.join(' ')) this.#use(order.paths, order.paths.length, before === undefined);
  }

  #use(paths: readonly string[], end: number, areWaiting: boolean): void {
    this.grouper.giveUp(end);
    this.#placeIn = placesIn(paths);
    if (!areWaiting) return;
    if (this.#sample.some(({ record }) => record.kind === 'deprecation')) this.grouper.hasEndings = true;
    for (const { record, line } of this.#sample) this.#group(record, line);
  }

  #group(record: LogRecord, line: number): void {
    if (record.kind === 'deprecation') this.grouper.hasEndings = true;
    this.grouper.add({ record, line, place: this.#placeIn(record) });
  }

  #inferDeployment(complete: RecordGroup): void {
    if (complete.firstFailure !== undefined) this.#offsets.add(complete.firstFailure);
    const group = this.#trials === MAX_TRIALS ? undefined : groupOf(complete);
    if (group === undefined) return;
    this.#trials += 1;
    try {
      const options = inferDeploymentOptions(group, this.#driverOf());
      const key = JSON.stringify(options);
      this.confirmed ??= this.#inferred.find((known) => JSON.stringify(known) === key);
      if (JSON.stringify(this.#inferred.at(-1)) === key) return;
      this.#inferred.push(options);
      this.#matcher = new WholeGroupMatcher(createDeployment(options));
    } catch (error) {
      if (!(error instanceof NoDeploymentError)) throw error;
      this.failure ??= { line: group.line, cause: error };
    }
  }
}
