import { RESOLUTION_MS, type Follower } from '../input/follower.js';
import { GroupRenderer } from '../log/group.js';
import type { Output } from '../output/destination.js';
import { writePieces } from '../output/pack.js';
import type { Piece } from '../output/piece.js';
import type { CanaryClock } from './clock.js';
import type { CanaryFinding } from './findings.js';
import type { Ledger } from './ledger.js';
import { paceTraffic, type TrafficOptions } from './traffic.js';

/** The parts of a run. */
interface RunParts {
  readonly ledger: Ledger;
  readonly traffic: TrafficOptions;
  /** The log. */
  readonly output: Output;
  readonly inputs: readonly Follower[];
  readonly clock: CanaryClock;
  /** Ends the traffic: what was written is waited for as ever. */
  readonly signal: AbortSignal;
}

/** After the writing, nothing of this run has come for so long: the run ends. */
const SILENCE_MS = 1000;

/**
 * Runs a canary: writes traffic, follows what arrives, and has everything decided when it is due, until the writing has ended and
 * everything has come or is due, or all inputs have ended. Gives findings as they are known; if they are left, the run ends at once.
 * If they are not taken, the run goes on.
 *
 * @throws what writing and reading throw
 */
export async function* watchPipeline(parts: RunParts): AsyncGenerator<readonly CanaryFinding[]> {
  const state = { hasEnded: false, isAbandoned: false };
  const work = run(parts, state).finally(() => (state.hasEnded = true));
  // The error is thrown below, once the findings before it have been given.
  work.catch(() => undefined);
  try {
    for (let isLast = false; !isLast;) {
      await parts.clock.sleep(RESOLUTION_MS);
      isLast = state.hasEnded;
      const found = parts.ledger.findings.take();
      if (found.length > 0) yield found;
    }
    await work;
  } finally {
    state.isAbandoned = true;
    await work.catch(() => undefined);
  }
}

async function run(parts: RunParts, state: { readonly isAbandoned: boolean }): Promise<void> {
  const { ledger, inputs, clock, signal } = parts;
  const { lateMs } = ledger;
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const failures: unknown[] = [];
  let writtenMs: number | undefined;
  // The traffic itself ends when it is to: what was noted is written.
  const written = writePieces(writeTraffic(parts, stopping.signal), parts.output, new AbortController().signal).then(
    () => (writtenMs = clock.now()),
    (error: unknown) => failures.push(error),
  );
  try {
    for (let isDone = false; !isDone;) {
      const nowMs = clock.now();
      await readAll(parts);
      if (ledger.isDue(nowMs)) await readToEnd(parts, nowMs + lateMs);
      ledger.decide(nowMs);
      if (failures.length > 0) break;
      if (state.isAbandoned) return;
      const isSilent = ledger.outstanding === 0 && nowMs - ledger.latestMs >= SILENCE_MS;
      isDone = writtenMs !== undefined && (isSilent || nowMs - writtenMs >= lateMs);
      isDone ||= inputs.every(({ hasEnded }) => hasEnded);
      if (!isDone) await clock.sleep(RESOLUTION_MS);
    }
  } finally {
    stop();
    await written;
    signal.removeEventListener('abort', stop);
  }
  if (failures.length > 0) throw failures[0];
  await readAll(parts);
  for (const [index, input] of inputs.entries()) for (const { bytes } of input.rest()) ledger.receive(index, bytes, clock.now());
  ledger.end(clock.now());
}

/** Gives the groups of the traffic when they are due, each noted as sent before its bytes are written. */
async function* writeTraffic({ ledger, traffic, clock }: RunParts, signal: AbortSignal): AsyncGenerator<readonly Piece[]> {
  const renderer = new GroupRenderer(traffic.deployment);
  for await (const request of paceTraffic(traffic, clock, signal)) {
    const bytes = renderer.render(request);
    ledger.send(bytes, clock.now());
    yield [{ bytes, count: 1, origin: {} }];
  }
}

/** Reads what is there at present. @returns true if anything was */
async function readAll({ ledger, inputs, clock }: RunParts): Promise<boolean> {
  let isAny = false;
  for (const [index, input] of inputs.entries()) {
    for (let growth = input.look(clock.now()); growth !== undefined; growth = input.look(clock.now())) {
      ledger.receive(index, growth.bytes, clock.now());
      isAny = true;
      // Other work of the process is done, such as that of signals.
      await clock.sleep(0);
    }
  }
  return isAny;
}

/** Reads until nothing more is there, however long the process was stopped; until a moment at most. */
async function readToEnd(parts: RunParts, untilMs: number): Promise<void> {
  do {
    // Bytes that came through a pipe are seen in a later turn of the event loop.
    await parts.clock.sleep(0);
  } while ((await readAll(parts)) && parts.clock.now() < untilMs);
}
