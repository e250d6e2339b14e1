import type { RecordBlock } from './record-block.js';
import type { RecordWindow } from './record-window.js';

/** Brings the window of one side its blocks. */
export class SideFeed {
  readonly #window: RecordWindow;
  readonly #blocks: AsyncGenerator<RecordBlock>;
  readonly #isIdle: () => boolean;
  readonly #arrivedAt: () => number | undefined;
  /** A block has been asked for. */
  #next: Promise<void> | undefined;
  /** It has come, or the end. */
  #came: IteratorResult<RecordBlock> | undefined;

  /**
   * @param isIdle nothing more is there for now
   * @param arrivedAt when the chunk that was given last appeared
   */
  constructor(
    window: RecordWindow,
    blocks: AsyncGenerator<RecordBlock>,
    isIdle: () => boolean,
    arrivedAt: () => number | undefined,
  ) {
    this.#window = window;
    this.#blocks = blocks;
    this.#isIdle = isIdle;
    this.#arrivedAt = arrivedAt;
  }

  get hasEnded(): boolean {
    return this.#window.hasEnded;
  }

  /** True if a block would have to be waited for. */
  get isIdle(): boolean {
    return this.#came === undefined && this.#isIdle();
  }

  /** Waits until a block has come, or the end. */
  async wait(): Promise<void> {
    if (this.#window.hasEnded) return;
    if (this.#next === undefined) {
      this.#next = this.#ask();
      // An error is thrown to whoever waits; until then, nobody may.
      this.#next.catch(() => undefined);
    }
    await this.#next;
  }

  /** Gives the window what has come; nothing, if nothing has. */
  give(): void {
    if (this.#came === undefined) return;
    if (this.#came.done === true) this.#window.hasEnded = true;
    else this.#window.append(this.#came.value, this.#arrivedAt());
    this.#came = undefined;
    this.#next = undefined;
  }

  /** Ends the reading, unless it waits for something: then whoever follows the input ends it. */
  async close(): Promise<void> {
    if (this.#next === undefined || this.#came !== undefined) await this.#blocks.return(undefined);
  }

  async #ask(): Promise<void> {
    // The bytes of the last block are gone when the next one is asked for.
    this.#window.keep();
    this.#came = await this.#blocks.next();
  }
}
