import { rendererIn } from '../envelope/envelope-writer.js';
import type { LatencySummary } from '../findings/latencies.js';
import { RESOLUTION_MS, type Follower } from '../input/follower.js';
import type { Destination } from '../output/destination.js';
import { writePieces } from '../output/pack.js';
import type { Piece } from '../output/piece.js';
import type { CanaryFinding, CanarySnapshot } from './findings.js';
import { Ledger, type LedgerOptions } from './ledger.js';
import { RunMark } from './mark.js';
import { paceTraffic, SYSTEM_CLOCK, type CanaryClock, type TrafficOptions } from './traffic.js';

export interface CanaryRunOptions extends Omit<TrafficOptions, 'mark'>, Omit<LedgerOptions, 'mark' | 'wallNow'> {
  readonly run: string;
}

interface Plugs {
  readonly output: Destination;
  readonly inputs: readonly Follower[];
  /** Ends the traffic: what was written is waited for as ever. */
  readonly signal: AbortSignal;
  /** Ends the waiting too: what is outstanding is missing. */
  readonly endSignal?: AbortSignal | undefined;
  /** Called if records are waited for after the writing, and again if the signal comes then: with their number, and for how long at most. */
  readonly onWait?: ((records: number, forMs: number) => void) | undefined;
}

/** After the writing, nothing of this run has come for so long: the run ends. */
const SILENCE_MS = 1000;

/** A run: it writes traffic, follows what arrives, and has everything decided when it is due. */
export class CanaryRun {
  readonly ledger: Ledger;
  readonly #options: CanaryRunOptions;
  readonly #clock: CanaryClock;
  readonly #mark: RunMark;
  #inputs: readonly Follower[] = [];
  #output: Destination | undefined;

  constructor(options: CanaryRunOptions, clock: CanaryClock = SYSTEM_CLOCK) {
    this.#options = options;
    this.#clock = clock;
    this.#mark = new RunMark(options.run);
    this.ledger = new Ledger({ ...options, mark: this.#mark, wallNow: clock.wallNow });
  }

  readonly snapshot = (): CanarySnapshot =>
    this.ledger.snapshot(this.#clock.now(), {
      truncations: this.#inputs.reduce((sum, { truncations }) => sum + truncations, 0),
      reconnects: this.#output?.connection?.reconnects ?? 0,
    });

  get recentLatency(): LatencySummary | undefined {
    return this.ledger.recentLatency(this.#clock.now());
  }

  /**
   * Runs until the writing has ended and everything has come or is due, or all inputs have ended; at once if the findings are left. Throws what
   * writing and reading throw.
   */
  async *watch(plugs: Plugs): AsyncGenerator<readonly CanaryFinding[]> {
    this.#inputs = plugs.inputs;
    this.#output = plugs.output;
    const state = { hasEnded: false, isAbandoned: false };
    const work = this.#run(plugs, state).finally(() => (state.hasEnded = true));
    // The error is thrown below, once the findings before it have been given.
    work.catch(() => undefined);
    try {
      for (let isLast = false; !isLast;) {
        await this.#clock.sleep(RESOLUTION_MS);
        isLast = state.hasEnded;
        const found = this.ledger.findings.take();
        if (found.length > 0) yield found;
      }
      await work;
    } finally {
      state.isAbandoned = true;
      await work.catch(() => undefined);
    }
  }

  async #run({ output, signal, endSignal, onWait }: Plugs, state: { readonly isAbandoned: boolean }): Promise<void> {
    const { ledger } = this;
    const { late } = this.#options;
    const clock = this.#clock;
    // AbortSignal.any needs Node 20.3.
    const stopping = new AbortController();
    const stop = (): void => {
      stopping.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const failures: unknown[] = [];
    let writtenMs: number | undefined;
    let saidOnSignal: boolean | undefined;
    // The traffic itself ends when it is to: what was noted is written.
    const written = writePieces(this.#writeTraffic(stopping.signal), output, new AbortController().signal).then(
      () => (writtenMs = clock.now()),
      (error: unknown) => failures.push(error),
    );
    try {
      for (let isDone = false; !isDone;) {
        const nowMs = clock.now();
        await this.#readAll();
        if (ledger.isDue(nowMs)) await this.#readToEnd(nowMs);
        ledger.decide(nowMs);
        if (failures.length > 0) break;
        if (state.isAbandoned) return;
        const waitedMs = writtenMs === undefined ? -Infinity : nowMs - writtenMs;
        const isSilent = waitedMs >= SILENCE_MS && nowMs - ledger.latestMs >= SILENCE_MS;
        if (isSilent) this.#readHalves(nowMs - SILENCE_MS);
        if (waitedMs >= SILENCE_MS && ledger.outstanding > 0 && saidOnSignal !== signal.aborted) {
          saidOnSignal = signal.aborted;
          onWait?.(ledger.outstanding, late - waitedMs);
        }
        isDone = endSignal?.aborted === true || (isSilent && ledger.outstanding === 0) || waitedMs >= late;
        isDone ||= this.#inputs.every(({ hasEnded }) => hasEnded);
        if (!isDone) await clock.sleep(RESOLUTION_MS);
      }
    } finally {
      stop();
      await written;
      signal.removeEventListener('abort', stop);
    }
    if (failures.length > 0) throw failures[0];
    await this.#readAll();
    for (const [index, input] of this.#inputs.entries())
      for (const growth of input.rest()) ledger.receive(index, growth, clock.now());
    ledger.end(clock.now());
  }

  /** Gives groups when they are due, each noted as sent before its bytes are written; none while there is no connection. */
  async *#writeTraffic(signal: AbortSignal): AsyncGenerator<readonly Piece[]> {
    const { envelope, deployment } = this.#options;
    const renderer = rendererIn(envelope, deployment);
    for await (const request of paceTraffic({ ...this.#options, mark: this.#mark }, this.#clock, signal)) {
      if (this.#output?.connection?.isOpen === false) continue;
      const bytes = renderer.render(request);
      this.ledger.send(bytes, this.#clock.now());
      yield [{ bytes, count: 1, origin: {} }];
    }
  }

  async #readAll(): Promise<boolean> {
    const clock = this.#clock;
    let isAny = false;
    for (const [index, input] of this.#inputs.entries()) {
      for (let growth = input.look(clock.now()); growth !== undefined; growth = input.look(clock.now())) {
        this.ledger.receive(index, growth, clock.now());
        isAny = true;
        // Other work of the process is done, such as that of signals.
        await clock.sleep(0);
      }
    }
    return isAny;
  }

  /** Reads before something is decided until nothing more is there, however long the process was stopped; for `--late` at most. */
  async #readToEnd(nowMs: number): Promise<void> {
    const { late } = this.#options;
    do {
      // Bytes that came through a pipe are seen in a later turn of the event loop.
      await this.#clock.sleep(0);
    } while ((await this.#readAll()) && this.#clock.now() < nowMs + late);
    this.#readHalves(nowMs - Math.min(late, SILENCE_MS));
  }

  /** Reads lines whose LF has not come: a pipeline may write LF between records, not behind them. @param sentMs for records sent by then */
  #readHalves(sentMs: number): void {
    for (const [index, input] of this.#inputs.entries())
      for (const growth of input.rest()) this.ledger.receiveHalf(index, growth, sentMs, this.#clock.now());
  }
}
