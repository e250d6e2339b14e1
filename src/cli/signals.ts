import { say } from './messages.js';

/** How long the reader of a pipe has to take the group at hand after a signal. */
const GRACE_MS = 2000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type EndSignal = (typeof SIGNALS)[number];

/** The run was ended by a signal. */
export class Interrupted extends Error {
  readonly signal: EndSignal;

  constructor(signal: EndSignal) {
    super(`ended by ${signal}`);
    this.name = 'Interrupted';
    this.signal = signal;
  }
}

let hasHungUp = false;

/**
 * To be called first: SIGHUP may come before a run is there to take it, and after a run has ended. It must not end the process then, if
 * it is to reopen a file.
 */
export function outliveHangup(): void {
  process.on('SIGHUP', () => {
    hasHungUp = true;
  });
}

/**
 * Runs work that SIGINT, SIGTERM and SIGHUP end in order: the first one aborts the signal that the work is given, with `Interrupted`
 * as the reason; the work finishes the group at hand. On a second one, or when that takes more than 2 s, the process ends at once.
 *
 * @param describeWritten says how much stands (`3 groups written`), for the message of an end at once
 * @param onHangup what SIGHUP does instead
 */
export async function withSignals(
  work: (signal: AbortSignal) => Promise<void>,
  describeWritten: () => string,
  onHangup?: () => void,
): Promise<void> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const endAtOnce = (signal: EndSignal, why: string): void => {
    // What the reader of a pipe has taken of the write at hand is not known.
    say(`ended by ${signal} ${why} (at least ${describeWritten()})`);
    endBySignal(signal);
  };
  const onSignal = (signal: EndSignal): void => {
    if (controller.signal.aborted) {
      endAtOnce(signal, 'at once');
    } else {
      controller.abort(new Interrupted(signal));
      timer = setTimeout(endAtOnce, GRACE_MS, signal, 'though the reader has not taken the last groups');
    }
  };
  const listenerOf = (signal: EndSignal): ((signal: EndSignal) => void) =>
    signal === 'SIGHUP' && onHangup !== undefined ? onHangup : onSignal;
  for (const signal of SIGNALS) process.on(signal, listenerOf(signal));
  if (hasHungUp && onHangup === undefined) onSignal('SIGHUP');
  try {
    await work(controller.signal);
  } finally {
    clearTimeout(timer);
    // Work that failed may have left its input open, which would keep the process from ending.
    controller.abort();
    for (const signal of SIGNALS) process.off(signal, listenerOf(signal));
  }
}

/** Ends the process as the signal would have, so that the shell sees 128 + n. */
export function endBySignal(signal: EndSignal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
