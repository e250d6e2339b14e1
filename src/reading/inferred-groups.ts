import { MAX_PLUGINS } from '../log/deployment.js';
import { RecordReader } from '../log/record-reader.js';
import { DeploymentSearch } from './deployment-search.js';
import { Grouper } from './grouper.js';
import type { LogGroups } from './log-reader.js';
import { inferPluginOrder, type PlacedRecord } from './plugin-order.js';
import { placesIn, type Entry, type RecordGroup } from './record-group.js';
import type { WholeGroup } from './whole-group.js';

/** The order of plugins is inferred from this much of a log. */
const SAMPLE_RECORDS = 512;
const SAMPLE_BYTES = 16 << 20;

/**
 * Groups the records of a log whose deployment is not known. The order of its plugins is inferred from its first 512 records, earlier
 * where the input pauses, and again at each pause up to then. The deployment is inferred from whole groups.
 */
export class InferredGroups implements LogGroups<Entry> {
  readonly #records = new RecordReader();
  readonly #search: DeploymentSearch;
  /** The records that the order is inferred from; undefined once it is final. */
  #sample: PlacedRecord[] | undefined = [];
  #sampleBytes = 0;
  /** The index in the sample from which on no records have been grouped. */
  #grouped = 0;
  /** The plugins of the samples without a whole group, in the order in which the log named them. */
  #namedPlugins: readonly string[] = [];
  /** The order of plugins that is in use, and the groups that are found with it. */
  #order: readonly string[] | undefined;
  #placeOf = placesIn([]);
  #grouper = new Grouper(0);
  /** Groups that were found with the order before. */
  #before: Grouper | undefined;

  /** @param search takes the whole groups */
  constructor(search = new DeploymentSearch()) {
    this.#search = search;
  }

  get isIdle(): boolean {
    return this.#order !== undefined && this.#grouper.isIdle;
  }

  get firstOpenLine(): number {
    const waiting = this.#sample?.[this.#grouped]?.line ?? Infinity;
    return Math.min(this.#before?.firstOpenLine ?? Infinity, this.#grouper.firstOpenLine, waiting);
  }

  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined {
    return this.#search.matcher?.match(bytes, at, line);
  }

  passWhole(): void {
    this.#search.confirm();
    this.#grouper.passWhole();
    // Two groups agree: the order is final.
    this.#sample = undefined;
  }

  add(text: string, line: number): boolean {
    const record = this.#records.read(text);
    if (record === undefined) return false;
    if (this.#sample === undefined) {
      this.#grouper.add({ record, line, place: this.#placeOf(record) });
      return true;
    }
    this.#sample.push({ record, line });
    this.#sampleBytes += text.length;
    if (this.#order !== undefined) this.#groupWaiting(this.#sample);
    if (this.#sample.length >= SAMPLE_RECORDS || this.#sampleBytes > SAMPLE_BYTES) this.#endSample(this.#sample);
    return true;
  }

  next(): RecordGroup | undefined {
    const group = this.#before?.next() ?? this.#grouper.next();
    if (group?.isWhole === true) this.#search.add(group);
    return group;
  }

  pause(): void {
    if (this.#sample !== undefined) this.#infer(this.#sample);
  }

  giveUp(): void {
    if (this.#sample !== undefined && this.#grouped < this.#sample.length) this.#endSample(this.#sample);
    this.#grouper.giveUp();
  }

  /** Infers the order of plugins for the last time; of a sample without a whole group the order in which the log names them. */
  #endSample(sample: readonly PlacedRecord[]): void {
    this.#infer(sample);
    this.#sample = undefined;
    if (this.#order === undefined) {
      const paths = sample.flatMap(({ record }) => (record.kind === 'load_failure' ? [record.pluginFilePath] : []));
      // The sample may begin within a group: the order in which the log named the plugins first is the likelier one.
      const named = Array.from(new Set([...this.#namedPlugins, ...paths]));
      this.#namedPlugins = named.length <= MAX_PLUGINS ? named : Array.from(new Set(paths));
      this.#use(this.#namedPlugins, sample);
      this.#grouper.giveUp();
      this.#order = undefined;
      this.#sample = [];
    }
    this.#sampleBytes = 0;
    this.#grouped = 0;
  }

  #infer(sample: readonly PlacedRecord[]): void {
    const order = inferPluginOrder(sample);
    if (order !== undefined && order.join(' ') !== this.#order?.join(' ')) this.#use(order, sample);
  }

  /** Groups the records that wait, and those that come, with an order of plugins. */
  #use(order: readonly string[], sample: readonly PlacedRecord[]): void {
    this.#grouper.giveUp();
    this.#before = this.#grouper;
    this.#order = order;
    this.#placeOf = placesIn(order);
    this.#grouper = new Grouper(order.length);
    this.#groupWaiting(sample);
  }

  #groupWaiting(sample: readonly PlacedRecord[]): void {
    for (const { record, line } of sample.slice(this.#grouped)) this.#grouper.add({ record, line, place: this.#placeOf(record) });
    this.#grouped = sample.length;
  }
}
