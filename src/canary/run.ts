import { rendererIn } from '../envelope/envelope-writer.js';
import type { LatencySummary } from '../findings/latencies.js';
import { RESOLUTION_MS, type Follower } from '../input/follower.js';
import type { Destination } from '../output/destination.js';
import { writePieces } from '../output/pack.js';
import type { Piece } from '../output/piece.js';
import type { CanaryFinding, CanarySnapshot } from './findings.js';
import { Ledger } from './ledger.js';
import { RunMark } from './mark.js';
import type { CanarySettings } from './options.js';
import { paceTraffic, SYSTEM_CLOCK, type CanaryClock } from './traffic.js';

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

export class CanaryRun {
  readonly ledger: Ledger;
  readonly #mark: RunMark;
  #inputs: readonly Follower[] = [];
  #output: Destination | undefined;
  /** True once no more traffic is to be written, whatever the signal says. */
  #isOver = false;
  /** The state of the signal when it was said what is waited for. */
  #saidOnSignal: boolean | undefined;

  constructor(
    private readonly options: CanarySettings,
    private readonly clock: CanaryClock = SYSTEM_CLOCK,
  ) {
    this.#mark = new RunMark(options.run);
    this.ledger = new Ledger(options, this.#mark, clock.wallNow);
  }

  readonly snapshot = (): CanarySnapshot =>
    this.ledger.snapshot(this.clock.now(), {
      truncations: this.#inputs.reduce((sum, { truncations }) => sum + truncations, 0),
      reconnects: this.#output?.connection?.reconnects ?? 0,
    });

  get recentLatency(): LatencySummary | undefined {
    return this.ledger.recent.summary(this.clock.now());
  }

  /**
   * Runs until the writing has ended and everything has come or is due, or all inputs have ended; at once if the findings are left. Throws what
   * writing and reading throw.
   */
  async *watch(plugs: Plugs): AsyncGenerator<readonly CanaryFinding[]> {
    this.#inputs = plugs.inputs;
    this.#output = plugs.output;
    const state = { hasEnded: false };
    const work = this.#run(plugs).finally(() => (state.hasEnded = true));
    // The error is thrown below, once the findings before it have been given.
    work.catch(() => undefined);
    try {
      for (let isLast = false; !isLast;) {
        await this.clock.sleep(RESOLUTION_MS);
        isLast = state.hasEnded;
        const found = this.ledger.findings.take();
        if (found.length > 0) yield found;
      }
      await work;
    } finally {
      this.#isOver = true;
      await work.catch(() => undefined);
    }
  }

  async #run(plugs: Plugs): Promise<void> {
    const { ledger, clock } = this;
    const failures: unknown[] = [];
    let writtenMs: number | undefined;
    // The traffic itself ends when it is to: what was noted is written.
    const written = writePieces(this.#writeTraffic(plugs.signal), plugs.output, new AbortController().signal)
      .catch((error: unknown) => failures.push(error))
      .finally(() => (writtenMs = clock.now()));
    let isDone = false;
    try {
      while (!isDone && failures.length === 0 && !this.#isOver) {
        const nowMs = clock.now();
        await this.#readAll();
        if (ledger.isDue(nowMs)) await this.#readToEnd(nowMs);
        ledger.decide(nowMs);
        isDone = this.#isDone(plugs, nowMs, writtenMs);
        if (!isDone) await clock.sleep(RESOLUTION_MS);
      }
    } finally {
      this.#isOver = true;
      await written;
    }
    if (failures.length > 0) throw failures[0];
    if (!isDone) return;
    await this.#readAll();
    for (const input of this.#inputs) for (const growth of input.rest()) ledger.receive(input, growth, clock.now());
    ledger.decide(clock.now(), true);
  }

  #isDone({ inputs, signal, endSignal, onWait }: Plugs, nowMs: number, writtenMs = Infinity): boolean {
    const { ledger } = this;
    const { late } = this.options;
    const waitedMs = nowMs - writtenMs;
    const isSilent = waitedMs >= SILENCE_MS && nowMs - ledger.latestMs >= SILENCE_MS;
    if (isSilent) this.#readHalves();
    if (waitedMs >= SILENCE_MS && ledger.outstanding > 0 && this.#saidOnSignal !== signal.aborted) {
      this.#saidOnSignal = signal.aborted;
      onWait?.(ledger.outstanding, late - waitedMs);
    }
    if (endSignal?.aborted === true || inputs.every(({ hasEnded }) => hasEnded)) return true;
    return (isSilent && ledger.outstanding === 0) || waitedMs >= late;
  }

  /** Gives groups when they are due, each noted as sent before its bytes are written; none while there is no connection. */
  async *#writeTraffic(signal: AbortSignal): AsyncGenerator<readonly Piece[]> {
    const { envelope, deployment } = this.options;
    const renderer = rendererIn(envelope, deployment);
    for await (const request of paceTraffic(this.options, this.clock, () => this.#isOver || signal.aborted)) {
      if (this.#output?.connection?.isOpen === false) continue;
      const bytes = renderer.render(this.#mark.mark(request));
      this.ledger.send(bytes, this.clock.now());
      yield [{ bytes, count: 1, origin: {} }];
    }
  }

  async #readAll(): Promise<boolean> {
    const { clock } = this;
    let isAny = false;
    for (const input of this.#inputs) {
      for (let growth = input.look(clock.now()); growth !== undefined; growth = input.look(clock.now())) {
        this.ledger.receive(input, growth, clock.now());
        isAny = true;
        // Other work of the process is done, such as that of signals.
        await clock.sleep(0);
      }
    }
    return isAny;
  }

  /** Reads before something is decided until nothing more is there, however long the process was stopped; for `--late` at most. */
  async #readToEnd(nowMs: number): Promise<void> {
    const { late } = this.options;
    do {
      // Bytes that came through a pipe are seen in a later turn of the event loop.
      await this.clock.sleep(0);
    } while ((await this.#readAll()) && this.clock.now() < nowMs + late);
    this.#readHalves();
  }

  /** Reads lines whose LF has not come: a pipeline may write LF between records, not behind them. */
  #readHalves(): void {
    for (const input of this.#inputs) for (const growth of input.rest()) this.ledger.receiveHalf(input, growth, this.clock.now());
  }
}
