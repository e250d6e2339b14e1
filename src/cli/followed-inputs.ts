import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CallError, explainSystemError, formatPlace } from '../errors.js';
import { PathFollower, StreamFollower, type Follower } from '../input/follower.js';
import { refuseReadAddress } from '../output/address.js';
import { usedFileError } from '../output/log-file.js';
import { countOf, formatCount, formatDuration } from '../wording.js';
import type { CommandRun } from './command-run.js';
import { STDIN } from './inputs.js';
import { say } from './messages.js';
import { STDOUT } from './options/values.js';

/**
 * Follows a file, or `STDIN`, until the end of the run.
 *
 * @param outputs those of the run: one that is an input which does not exist yet would make it
 * @throws CallError for an address, an input that is an output, and from the end, if the file cannot be read
 */
export function followInput(
  name: string,
  from: 'start' | 'end',
  run: CommandRun,
  outputs: readonly (string | undefined)[],
): Follower {
  refuseReadAddress(name);
  try {
    const stats = name === STDIN ? fstatSync(process.stdin.fd) : statSync(name, { throwIfNoEntry: false });
    const made = stats ? undefined : outputs.find((output = STDOUT) => output !== STDOUT && resolve(name) === resolve(output));
    if (made !== undefined) throw usedFileError(made, 'input');
    run.usedFiles.push({ stats, role: 'input' });
  } catch (error) {
    throw explainSystemError(error, name);
  }
  return run.closeAtEnd(name === STDIN ? new StreamFollower(process.stdin, '<stdin>') : new PathFollower(name, from));
}

/** Formats what is outstanding: `20 outstanding, the oldest for 3 s`. */
export function formatOutstanding(now: { readonly outstanding: number; readonly oldestMs: number }): string {
  const oldest = now.outstanding === 0 ? '' : `, the oldest for ${formatDuration(Math.floor(now.oldestMs / 1000))}`;
  return `${formatCount(now.outstanding)} outstanding${oldest}`;
}

/** Says which inputs do not exist yet: a name may be wrong. */
export function sayWaitedFor(inputs: readonly Follower[]): void {
  for (const { source, hasAppeared } of inputs)
    if (!hasAppeared) say(`${formatPlace({ source })}: does not exist yet; it is waited for`);
}

const saidTruncations = new WeakMap<Follower, number>();

/** Says how often inputs were truncated while they were followed, each number once. */
export function sayTruncations(inputs: readonly Follower[]): void {
  for (const input of inputs) {
    const { source, truncations } = input;
    if (truncations === (saidTruncations.get(input) ?? 0)) continue;
    saidTruncations.set(input, truncations);
    const what = `was truncated ${countOf(truncations, 'time')} while it was followed`;
    say(`${formatPlace({ source })} ${what}; what was written between the last look and a truncation was not read`);
  }
}

/** Makes the error for a file that never existed. @param within `within 3 s` */
export function refuseUnseen({ source }: { readonly source: string }, within: string): CallError {
  return new CallError({ source }, `did not appear ${within}`, 'check its name');
}

/** A time that something was waited for: `3 s`, `300 ms`. */
export function formatWait(waitMs: number): string {
  return waitMs % 1000 === 0 ? formatDuration(waitMs / 1000) : `${formatCount(waitMs)} ms`;
}
