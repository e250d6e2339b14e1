import { MAX_PLUGINS } from '../log/deployment.js';
import { RecordReader } from '../log/record-reader.js';
import { BrokenGroups } from './broken-groups.js';
import { Grouper } from './grouper.js';
import { DeploymentSearch } from './infer-deployment.js';
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
  readonly grouper = new Grouper(0);
  readonly search = new DeploymentSearch();
  readonly broken = new BrokenGroups();
  readonly #records = new RecordReader();
  /** The records that the order is inferred from, until it is final. While there is no order, they wait to be grouped. */
  #sample: PlacedRecord[] = [];
  #sampleBytes = 0;
  #isFinal = false;
  /** The order of plugins that is in use, and the places in it. */
  #order: readonly string[] | undefined;
  #placeOf = placesIn([]);
  /** The plugins of the samples without a whole group, in the order in which the log named them. */
  #namedPlugins: readonly string[] = [];

  get firstWaitingLine(): number {
    return (this.#order === undefined ? this.#sample[0]?.line : undefined) ?? Infinity;
  }

  match(bytes: Buffer, at: number, line: number): WholeGroup | number | undefined {
    return this.#order === undefined ? undefined : this.search.matcher?.match(bytes, at, line);
  }

  passWhole(): void {
    this.search.confirm();
    // Two groups agree.
    this.#isFinal = true;
  }

  passGroup(group: RecordGroup): void {
    if (group.isWhole) this.search.add(group);
    else this.broken.add(group);
  }

  add(text: string, line: number): boolean {
    const record = this.#records.read(text);
    if (record === undefined) return false;
    if (this.#order !== undefined) this.grouper.add({ record, line, place: this.#placeOf(record) });
    if (this.#isFinal) return true;
    this.#sample.push({ record, line });
    this.#sampleBytes += text.length;
    if (this.#sample.length >= SAMPLE_RECORDS || this.#sampleBytes > SAMPLE_BYTES) this.#endSample();
    return true;
  }

  pause(): void {
    if (!this.#isFinal) this.#infer();
  }

  endWait(): void {
    if (this.#order === undefined && this.#sample.length > 0) this.#endSample();
  }

  /** Infers the order of plugins for the last time; of a sample without a whole group the order in which the log names them. */
  #endSample(): void {
    this.#infer();
    this.#isFinal = this.#order !== undefined;
    if (this.#order === undefined) {
      const paths = this.#sample.flatMap(({ record }) => (record.kind === 'load_failure' ? [record.pluginFilePath] : []));
      // The sample may begin within a group: the order in which the log named the plugins first is the likelier one.
      const named = new Set([...this.#namedPlugins, ...paths]);
      this.#namedPlugins = Array.from(named.size <= MAX_PLUGINS ? named : new Set(paths));
      this.#use(this.#namedPlugins);
      this.grouper.giveUp();
    }
    this.#sample = [];
    this.#sampleBytes = 0;
  }

  #infer(): void {
    const order = inferPluginOrder(this.#sample);
    if (order === undefined || order.join(' ') === this.#order?.join(' ')) return;
    this.#use(order);
    this.#order = order;
  }

  /** Groups the records that wait, and those that come, with an order of plugins. */
  #use(order: readonly string[]): void {
    this.grouper.giveUp(order.length);
    this.#placeOf = placesIn(order);
    if (this.#order !== undefined) return;
    for (const { record, line } of this.#sample) this.grouper.add({ record, line, place: this.#placeOf(record) });
  }
}
