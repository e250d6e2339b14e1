import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FollowProgress } from '../compare/follow-logs.js';
import { CallError, explainSystemError } from '../errors.js';
import { FileFollower, StreamFollower } from '../input/follower.js';
import { usedFileError, type UsedFile } from '../output/log-file.js';
import { formatCount, formatDuration } from '../wording.js';
import { STDIN } from './inputs.js';
import { STDOUT } from './options/output-file.js';

const STDIN_FD = 0;

/**
 * Follows an input.
 *
 * @param name a file, or `STDIN`
 * @param from `end`: what a file holds already is passed over
 * @throws CallError with `end`, if the file cannot be read
 */
export function followInput(name: string, from: 'start' | 'end' = 'start'): FileFollower | StreamFollower {
  return name === STDIN ? new StreamFollower(process.stdin, '<stdin>') : new FileFollower(name, from);
}

/**
 * The files that are followed, those that exist.
 *
 * @throws CallError for a file that the system refuses to look at, and for one that does not exist if it is an output, which would make it
 */
export function usedFilesOf(names: readonly string[], outputs: readonly (string | undefined)[]): readonly UsedFile[] {
  return names.flatMap((name) => {
    try {
      const stats = name === STDIN ? fstatSync(STDIN_FD) : statSync(name, { throwIfNoEntry: false });
      if (stats !== undefined) return [{ stats, role: 'input' } as const];
    } catch (error) {
      throw explainSystemError(error, name);
    }
    const source = outputs.find((output = STDOUT) => output !== STDOUT && resolve(name) === resolve(output));
    if (source === undefined) return [];
    throw usedFileError(source, 'input');
  });
}

/** Formats the progress for a terminal: `1,200 sent, 1,180 delivered, 20 outstanding, the oldest for 3 s`. */
export function formatFollowed({ sent, delivered, outstanding, oldestMs }: FollowProgress): string {
  const oldest = outstanding === 0 ? '' : `, the oldest for ${formatDuration(Math.floor(oldestMs / 1000))}`;
  return `${formatCount(sent)} sent, ${formatCount(delivered)} delivered, ${formatCount(outstanding)} outstanding${oldest}`;
}

/** Makes the error for a file that never existed. @param within `within 3 s` */
export function refuseUnseen({ source }: { readonly source: string }, within: string): CallError {
  return new CallError({ source }, `did not appear ${within}`, 'check its name');
}

/** A time that something was waited for: `3 s`, `300 ms`. */
export function formatWait(waitMs: number): string {
  return waitMs % 1000 === 0 ? formatDuration(waitMs / 1000) : `${formatCount(waitMs)} ms`;
}
