import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FollowProgress } from '../compare/follow-logs.js';
import { CallError, explainSystemError, formatPlace } from '../errors.js';
import { PathFollower, StreamFollower, type Follower } from '../input/follower.js';
import { refuseReadAddress } from '../output/address.js';
import { usedFileError, type UsedFile } from '../output/log-file.js';
import { countOf, formatCount, formatDuration } from '../wording.js';
import { STDIN } from './inputs.js';
import { say } from './messages.js';
import { STDOUT } from './options/values.js';

/** Follows a file, or `STDIN`. @throws CallError for an address, and from the end, if the file cannot be read */
export function followInput(name: string, from: 'start' | 'end' = 'start'): Follower {
  refuseReadAddress(name);
  return name === STDIN ? new StreamFollower(process.stdin, '<stdin>') : new PathFollower(name, from);
}

/** The files that are followed, those that exist. @throws CallError for one that does not exist if it is an output, which would make it */
export function usedFilesOf(names: readonly string[], outputs: readonly (string | undefined)[]): readonly UsedFile[] {
  return names.flatMap((name) => {
    try {
      const stats = name === STDIN ? fstatSync(process.stdin.fd) : statSync(name, { throwIfNoEntry: false });
      if (stats !== undefined) return [{ stats, role: 'input' } as const];
    } catch (error) {
      throw explainSystemError(error, name);
    }
    const source = outputs.find((output = STDOUT) => output !== STDOUT && resolve(name) === resolve(output));
    if (source === undefined) return [];
    throw usedFileError(source, 'input');
  });
}

/** Formats the progress for a terminal: `1,200 sent`, `1,180 delivered`, `20 outstanding, the oldest for 3 s`. */
export function formatFollowed(progress: FollowProgress): readonly string[] {
  const { sent, delivered } = progress;
  return [`${formatCount(sent)} sent`, `${formatCount(delivered)} delivered`, formatOutstanding(progress)];
}

/** Formats what is outstanding: `20 outstanding, the oldest for 3 s`. */
export function formatOutstanding({ outstanding, oldestMs }: Pick<FollowProgress, 'outstanding' | 'oldestMs'>): string {
  const oldest = outstanding === 0 ? '' : `, the oldest for ${formatDuration(Math.floor(oldestMs / 1000))}`;
  return `${formatCount(outstanding)} outstanding${oldest}`;
}

/** Says which inputs do not exist yet: a name may be wrong. */
export function sayWaitedFor(inputs: readonly Follower[]): void {
  for (const { source, hasAppeared } of inputs)
    if (!hasAppeared) say(`${formatPlace({ source })}: does not exist yet; it is waited for`);
}

/** The number of times that inputs were truncated while they were followed. */
export function countTruncations(inputs: readonly Follower[]): number {
  return inputs.reduce((sum, { truncations }) => sum + truncations, 0);
}

/** Makes the function that says how often inputs were truncated, each number once. */
export function truncationSayer(inputs: readonly Follower[]): () => void {
  const said = new Map<Follower, number>();
  return () => {
    for (const input of inputs) {
      const { source, truncations } = input;
      if (truncations === (said.get(input) ?? 0)) continue;
      said.set(input, truncations);
      const what = `was truncated ${countOf(truncations, 'time')} while it was followed`;
      say(`${formatPlace({ source })} ${what}; what was written between the last look and a truncation was not read`);
    }
  };
}

/** Makes the error for a file that never existed. @param within `within 3 s` */
export function refuseUnseen({ source }: { readonly source: string }, within: string): CallError {
  return new CallError({ source }, `did not appear ${within}`, 'check its name');
}

/** A time that something was waited for: `3 s`, `300 ms`. */
export function formatWait(waitMs: number): string {
  return waitMs % 1000 === 0 ? formatDuration(waitMs / 1000) : `${formatCount(waitMs)} ms`;
}
