import type { FormMismatch } from '../compare/received-form.js';
import type { LogRequest } from '../log/group.js';
import type { Output } from '../output/destination.js';
import { writePieces } from '../output/pack.js';
import type { Piece } from '../output/piece.js';
import type { CanaryClock } from './clock.js';
import type { CanaryFinding, CanarySnapshot } from './findings.js';
import { Ledger, type LedgerOptions } from './ledger.js';
import { paceTraffic, type TrafficOptions } from './traffic.js';
import { watch, type WatchedInput } from './watch.js';

/** The parts of a run that are open. */
interface RunParts {
  /** The log. */
  readonly output: Output;
  readonly inputs: readonly WatchedInput[];
  readonly traffic: TrafficOptions;
  readonly ledger: Omit<LedgerOptions, 'wallNow' | 'mark' | 'receivedSources'>;
  readonly clock: CanaryClock;
  /** Ends the traffic: what was written is waited for as ever. */
  readonly signal: AbortSignal;
  /** Called when all received inputs have ended. */
  readonly onInputsEnd: () => void;
}

/** A run of a canary. */
export interface CanaryRun {
  /** Batches of findings as they are known, to be iterated over once: the run begins then, and ends with them. */
  readonly findings: AsyncIterable<readonly CanaryFinding[]>;
  /** The numbers at present. */
  readonly snapshot: () => CanarySnapshot;
  /** The likely reason that the received inputs could not be compared. */
  readonly findMismatch: () => FormMismatch | undefined;
}

/** Prepares a run. */
export function prepareRun({ output, inputs, traffic, ledger: options, clock, signal, onInputsEnd }: RunParts): CanaryRun {
  const { now, wallNow } = clock;
  const ledger = new Ledger({ ...options, mark: traffic.mark, wallNow, receivedSources: inputs.map(({ source }) => source) });
  const write = async (stop: AbortSignal): Promise<void> => {
    const pieces = noteSent(paceTraffic(traffic, clock, stop), ledger, clock);
    // The traffic itself ends when it is to: what was noted is written.
    await writePieces(pieces, output, new AbortController().signal);
  };
  const readFindings = async function* (): AsyncGenerator<readonly CanaryFinding[]> {
    const abandoned = new AbortController();
    const state = { hasEnded: false };
    let wake = (): void => undefined;
    const onLook = (): void => {
      wake();
    };
    const options = { ledger, inputs, clock, write, signal, abandoned: abandoned.signal, onLook, onInputsEnd };
    const work = watch(options).finally(() => {
      state.hasEnded = true;
      wake();
    });
    // The error is thrown below, once the findings before it have been given.
    work.catch(() => undefined);
    try {
      for (;;) {
        const found = ledger.findings.take();
        if (found.length > 0) yield found;
        else if (state.hasEnded) break;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      await work;
    } finally {
      abandoned.abort();
      await work.catch(() => undefined);
    }
  };
  return { findings: readFindings(), snapshot: () => ledger.snapshot(now()), findMismatch: () => ledger.mismatch };
}

/** Passes groups on, each noted as sent before its bytes are written. */
async function* noteSent(
  batches: AsyncIterable<Iterable<Piece<LogRequest>>>,
  ledger: Ledger,
  { now }: CanaryClock,
): AsyncGenerator<Iterable<Piece<LogRequest>>> {
  const noteEach = function* (batch: Iterable<Piece<LogRequest>>): Generator<Piece<LogRequest>> {
    for (const piece of batch) {
      ledger.send(piece.bytes, now());
      yield piece;
    }
  };
  for await (const batch of batches) yield noteEach(batch);
}
