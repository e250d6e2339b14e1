import { readFileSync } from 'node:fs';
import { namesOf } from '../wording.js';
import { say } from './messages.js';

/** Time that the reader of a pipe has after a signal to take the pending group. */
const GRACE_MS = 2000;

const NUMBERS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
const SIGNALS = namesOf(NUMBERS);
type EndSignal = keyof typeof NUMBERS;

/** A signal ended the run, or npx did. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: EndSignal;
  /** True if the run was to go on until a signal, which is its normal end. */
  readonly isNormalEnd: boolean;

  /** @param cause what ended the run, as messages say it */
  constructor(signal: EndSignal, cause: string, isNormalEnd: boolean) {
    super(`ended ${cause}`);
    this.signal = signal;
    this.isNormalEnd = isNormalEnd;
  }
}

/** Keeps SIGHUP, which reopens the file of `-o`, from ending the process before a run has begun. */
export function surviveHangup(): void {
  process.on('SIGHUP', () => undefined);
}

/**
 * Keeps the handlers of signals to the end: Node removes them when the event loop is empty, and takes a while to end. To be called once no
 * error will be thrown any more: Node reports one after the event `exit`.
 */
export function keepHandlersToTheEnd(): void {
  process.once('exit', () => {
    process.exit();
  });
}

/**
 * The effect of SIGINT and SIGTERM on a run: `stop` it after the pending group; are its normal `end`; end the reading, and a `report`
 * follows; end what is written, and the run may `wait` for what is outstanding until a second signal.
 */
export type SignalEffect = 'stop' | 'end' | 'report' | 'wait';

/**
 * Lets SIGINT, SIGTERM, SIGHUP and the end of npx end a run in order. On one signal more, or once nothing more was written for the time of
 * grace, the process ends at once.
 * @param describeWritten for the message of an end at once: `3 groups written`
 * @param onHangup called on SIGHUP, which then does not end the run
 * @returns `signal` is aborted by the first one, `endSignal` by a second one, where the run may wait; `release` is for the end of the run
 */
export function catchSignals(
  effect: SignalEffect,
  describeWritten: () => string,
  onHangup: (() => void) | undefined,
): Readonly<{ signal: AbortSignal; endSignal: AbortSignal; release: () => void }> {
  const [first, second] = [new AbortController(), new AbortController()];
  const last = effect === 'wait' ? second : first;
  let timer: NodeJS.Timeout | undefined;
  const endAtOnce = (signal: EndSignal, why: string): void => {
    // Nobody knows how much of the pending write the reader of a pipe has taken.
    say(`ended by ${signal} ${why} (at least ${describeWritten()})`);
    endBySignal(signal);
  };
  const watchEnd = (signal: EndSignal): void => {
    const before = describeWritten();
    timer = setTimeout(() => {
      if (describeWritten() === before) endAtOnce(signal, 'though the reader has not taken the last groups');
      else watchEnd(signal);
    }, GRACE_MS);
  };
  const end = (signal: EndSignal, cause = `by ${signal}`): void => {
    if (last.signal.aborted) {
      endAtOnce(signal, 'at once');
      return;
    }
    const [next, how] = first.signal.aborted ? [second, `${cause} at once`] : [first, cause];
    next.abort(new Interrupted(signal, how, effect === 'end' && signal !== 'SIGHUP'));
    if (next === last && effect !== 'report') watchEnd(signal);
  };
  const onSignal = (signal: EndSignal): void => {
    end(signal);
  };
  const listeners = { SIGINT: onSignal, SIGTERM: onSignal, SIGHUP: onHangup ?? onSignal };
  for (const signal of SIGNALS) process.on(signal, listeners[signal]);
  const npxTimer = watchNpx(() => {
    if (!first.signal.aborted) end('SIGTERM', 'because npx has ended');
  });
  const release = (): void => {
    clearInterval(npxTimer);
    clearTimeout(timer);
    // Closes an input that a failed run has left open, which would keep the process alive.
    first.abort();
    for (const signal of SIGNALS) process.off(signal, listeners[signal]);
  };
  return { signal: first.signal, endSignal: second.signal, release };
}

/** Ends the process by the signal itself, so that a shell sees 128 + n. */
export function endBySignal(signal: EndSignal): void {
  // The first process of a container outlives the signal: the kernel gives it only signals that it handles.
  if (process.pid === 1) process.exit(128 + NUMBERS[signal]);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

const NPX_CHECK_MS = 1000;

/** Watches the npx that has started this process: it forwards no signals. When npx or its shell ends, its child gets another parent. */
function watchNpx(onEnd: () => void): NodeJS.Timeout | undefined {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env;
  // In a script that npx runs, this process may be meant to outlive npx.
  if (event !== 'npx' || script?.includes('webmail-diaglog') !== true) return undefined;
  const before = parentIds();
  return setInterval(() => {
    if (parentIds() !== before) onEnd();
  }, NPX_CHECK_MS).unref();
}

/** The parent of this process, and the parent of that, if it is a shell that runs a single command: `sh -c …`. */
function parentIds(): string {
  const parent = String(process.ppid);
  try {
    const readParent = (file: string): string => readFileSync(`/proc/${parent}/${file}`, 'latin1');
    const isShell = readParent('cmdline').split('\0')[1] === '-c';
    return isShell ? `${parent} ${/^PPid:.*/m.exec(readParent('status'))?.[0] ?? ''}` : parent;
  } catch {
    // There is no /proc.
    return parent;
  }
}
