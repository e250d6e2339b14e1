import type { LoadFailure } from '../log/line.js';
import { isNear, type PendingDeprecation } from './open-group.js';

/** So many fragments are remembered, and so many bytes of their descriptors; then the oldest is forgotten. */
const MAX_FRAGMENTS = 256;
const MAX_BYTES = 16 << 20;

/** The end of a group whose beginning is not there: the log begins within it, or a record of it is missing. */
interface OrphanTail {
  /** The physical line of its first record. */
  readonly line: number;
  readonly descriptor: string;
  readonly second: number;
  readonly localSecond: number;
  /** The place in reporting order of the last plugin that it has reported; -1 for one that is not in it. */
  plugin: number;
}

/** OrphanTails are remembered to tell which further records are theirs. */
export class OrphanTails {
  readonly #lastPlugin: number;
  readonly #list: OrphanTail[] = [];
  #bytes = 0;

  /** @param lastPlugin the place of the last plugin in reporting order, from 0 */
  constructor(lastPlugin: number) {
    this.#lastPlugin = lastPlugin;
  }

  /** Takes a load failure that no group waits for. Gives the fragment that begins with it; undefined if it goes on with one. */
  add(failure: LoadFailure, descriptor: string, plugin: number, line: number): OrphanTail | undefined {
    const known = this.#list.find(
      (one) => one.descriptor === descriptor && isNear(one, failure) && (plugin === -1 || one.plugin < plugin),
    );
    if (known !== undefined) {
      known.plugin = Math.max(known.plugin, plugin);
      return undefined;
    }
    const { second, localSecond } = failure;
    const fragment = { line, descriptor, second, localSecond, plugin };
    this.#list.push(fragment);
    this.#bytes += descriptor.length;
    for (let [oldest] = this.#list; oldest !== undefined && this.#isFull; [oldest] = this.#list) this.forget(oldest);
    return fragment;
  }

  /** The fragment that a deprecation record may end; one that waits for nothing else comes first. */
  findEndedBy(ending: PendingDeprecation): OrphanTail | undefined {
    const fragments = this.#list.filter((one) => ending.mayBeOf(one));
    return fragments.find((one) => this.isAtEnd(one)) ?? fragments[0];
  }

  /** Whether it waits for its deprecation record alone. */
  isAtEnd({ plugin }: OrphanTail): boolean {
    return plugin === this.#lastPlugin;
  }

  forget(fragment: OrphanTail): void {
    this.#list.splice(this.#list.indexOf(fragment), 1);
    this.#bytes -= fragment.descriptor.length;
  }

  get #isFull(): boolean {
    return this.#list.length > MAX_FRAGMENTS || this.#bytes > MAX_BYTES;
  }
}
