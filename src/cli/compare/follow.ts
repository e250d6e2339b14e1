import { fstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { followLogs, type FollowEnd, type FollowProgress } from '../../compare/follow-logs.js';
import { CallError, explainSystemError, StoppedError } from '../../errors.js';
import { FileFollower } from '../../input/file-follower.js';
import { StreamFollower } from '../../input/stream-follower.js';
import type { UsedFile } from '../../output/log-file.js';
import { formatCount, formatDuration } from '../../wording.js';
import { runCommand } from '../command-run.js';
import { say } from '../messages.js';
import { STDIN } from '../inputs.js';
import { STDOUT } from '../options/output-file.js';

import { comparedBy, writeReport, type CompareOptions } from './write-report.js';

/** The time between looks at files that are followed. */
const RESOLUTION_MS = 20;

const NOT_MEASURED = { p50: null, p99: null, max: null } as const;

const STDIN_FD = 0;

/** Compares logs that grow. A signal ends the following, and the report is written. */
export async function compareGrowing(
  expected: string,
  received: readonly string[],
  options: CompareOptions,
  waitMs: number,
): Promise<void> {
  const names = [expected, ...received];
  await runCommand({ ...options, noun: 'finding', reportsOnSignal: true }, async (run) => {
    const inputs = names.map(followInput);
    const [sent, ...delivered] = inputs;
    if (sent === undefined) return undefined;
    const { signal } = run;
    let measure: (() => FollowProgress) | undefined;
    const describe = (): string => (measure === undefined ? '' : formatFollowed(measure()));
    const output = await run.openOutput(usedFilesOf(names, options.output), describe);
    // A signal ends the waiting, and so does the time. What comes of it is told at the end of the loop.
    const sleep = (delayMs: number): Promise<void> => setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
    const ends: FollowEnd[] = [];
    try {
      const findings = followLogs(sent, delivered, {
        ...comparedBy(options),
        clock: { now: () => performance.now(), sleep },
        waitMs,
        resolutionMs: RESOLUTION_MS,
        signal,
        onStart: (measureProgress) => {
          measure = measureProgress;
        },
        onEnd: (end) => ends.push(end),
      });
      const reported = {
        findings,
        end: () => endOf(ends),
        expectedSource: sent.source,
        receivedSources: delivered.map(({ source }) => source),
      };
      const unusable = await writeReport(reported, options, output, new AbortController().signal);
      if (signal.aborted) throw new StoppedError(signal.reason, output.written, undefined, output.noun);
      const within = `within ${formatWait(waitMs)}`;
      for (const input of delivered) if (!input.hasAppeared) say(refuseUnseen(input, within).message);
      if (!sent.hasAppeared) return refuseUnseen(sent, within);
      if (ends[0]?.hasGrown === false) say(`nothing new came ${within}; compared what the files held`);
      return unusable;
    } finally {
      for (const input of inputs) input.close();
    }
  });
}

function endOf([end]: readonly FollowEnd[]) {
  if (end === undefined) throw new Error('the comparison has not ended');
  return { summary: end.summary, latency: { ...(end.latency ?? NOT_MEASURED), resolution: RESOLUTION_MS } };
}

/** Formats the progress for a terminal: `1,200 sent, 1,180 delivered, 20 outstanding, the oldest for 3 s`. */
export function formatFollowed({ sent, delivered, outstanding, oldestMs }: FollowProgress): string {
  const oldest = outstanding === 0 ? '' : `, the oldest for ${formatDuration(Math.floor(oldestMs / 1000))}`;
  return `${formatCount(sent)} sent, ${formatCount(delivered)} delivered, ${formatCount(outstanding)} outstanding${oldest}`;
}

/** @param name a file, or `STDIN` */
function followInput(name: string): FileFollower | StreamFollower {
  return name === STDIN ? new StreamFollower(process.stdin, '<stdin>') : new FileFollower(name);
}

/** The files that are followed, those that exist. @throws CallError if one that does not exist is the output, which would make it */
function usedFilesOf(names: readonly string[], outputFile = STDOUT): readonly UsedFile[] {
  return names.flatMap((name) => {
    const stats = name === STDIN ? fstatSync(STDIN_FD) : findStats(name);
    if (stats !== undefined) return [{ stats, role: 'input' } as const];
    if (outputFile !== STDOUT && wholePath(name) === wholePath(outputFile)) {
      throw new CallError({ source: outputFile }, 'the output is the input file', 'name another file');
    }
    return [];
  });
}

/** @throws CallError for a file that the system refuses to look at */
function findStats(name: string): Stats | undefined {
  try {
    return statSync(name, { throwIfNoEntry: false });
  } catch (error) {
    throw explainSystemError(error, name);
  }
}

/** The path of a file that need not exist. */
function wholePath(name: string): string {
  const path = resolve(name);
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** Makes the error for a file that never existed. @param within `within 3 s` */
function refuseUnseen({ source }: { readonly source: string }, within: string): CallError {
  return new CallError({ source }, `did not appear ${within}`, 'check its name');
}

function formatWait(waitMs: number): string {
  return waitMs % 1000 === 0 ? formatDuration(waitMs / 1000) : `${formatCount(waitMs)} ms`;
}
