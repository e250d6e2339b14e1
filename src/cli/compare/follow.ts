import { setTimeout } from 'node:timers/promises';
import { followLogs } from '../../compare/follow-logs.js';
import { followedLatency } from '../../compare/report.js';
import { StoppedError } from '../../errors.js';
import { RESOLUTION_MS } from '../../input/follower.js';
import { formatCount, formatDuration } from '../../wording.js';
import { runCommand } from '../command-run.js';
import { followInput, formatFollowed, refuseUnseen, usedFilesOf } from '../followed-inputs.js';
import { say } from '../messages.js';
import { comparedBy, writeReport, type CompareOptions } from './write-report.js';

/** Compares logs that grow. A signal ends the following, and the report is written. */
export async function compareGrowing(
  expected: string,
  received: readonly string[],
  options: CompareOptions,
  waitMs: number,
): Promise<void> {
  await runCommand({ ...options, noun: 'finding', reportsOnSignal: true }, async (run) => {
    const sent = followInput(expected);
    const delivered = received.map((name) => followInput(name));
    const { signal } = run;
    // A signal ends the waiting, and so does the time. What comes of it is told at the end of the loop.
    const sleep = (delayMs: number): Promise<void> => setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
    const { findings, progress, end } = followLogs(sent, delivered, {
      ...comparedBy(options),
      clock: { now: () => performance.now(), sleep },
      waitMs,
      resolutionMs: RESOLUTION_MS,
      signal,
    });
    run.usedFiles.push(...usedFilesOf([expected, ...received], [options.output]));
    const output = await run.openOutput(() => formatFollowed(progress()));
    try {
      const reported = {
        findings,
        end: () => {
          const ended = end();
          return ended && { summary: ended.summary, latency: followedLatency(ended.latency, RESOLUTION_MS) };
        },
        expectedSource: sent.source,
        receivedSources: delivered.map(({ source }) => source),
      };
      const unusable = await writeReport(reported, options, output, new AbortController().signal);
      if (signal.aborted) throw new StoppedError(signal.reason, output.written, undefined, output.noun);
      const within = `within ${formatWait(waitMs)}`;
      for (const input of delivered) if (!input.hasAppeared) say(refuseUnseen(input, within).message);
      if (!sent.hasAppeared) return refuseUnseen(sent, within);
      if (end()?.hasGrown === false) say(`nothing new came ${within}; compared what the files held`);
      return unusable;
    } finally {
      for (const input of [sent, ...delivered]) input.close();
    }
  });
}

function formatWait(waitMs: number): string {
  return waitMs % 1000 === 0 ? formatDuration(waitMs / 1000) : `${formatCount(waitMs)} ms`;
}
