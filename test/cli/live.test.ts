import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { REPLAY } from '../../src/cli/replay/command.js';
import { resolveReplay } from '../../src/cli/replay/run.js';
import { SYNTH } from '../../src/cli/synth/command.js';
import { resolveSynth } from '../../src/cli/synth/run.js';
import { createDeployment } from '../../src/log/deployment.js';
import type { Batches, LogRequest } from '../../src/log/group.js';
import { openDestination } from '../../src/output/open-destination.js';
import { writePieces } from '../../src/output/pack.js';
import { Pacer, type Anchor } from '../../src/output/pacer.js';
import { groupPieces } from '../support/packets.js';
import { readLoggedRequests } from '../../src/reading/parse.js';
import { prepareRequests } from '../../src/requests/prepare-requests.js';
import { drawRequests } from '../../src/requests/synth/synthesize.js';
import { OBSERVED_TARGETS } from '../../src/requests/synth/weighted-targets.js';
import { chunksOf, collect, iterate } from '../support/bytes.js';
import { checked } from '../support/checked.js';
import { FakeClock } from '../support/fake-clock.js';
import { parsedOptions } from '../support/parsed-options.js';
import { rotatedIn } from '../support/rotated-files.js';
import { makeFolder, readBytes } from '../support/run.js';

const SITE = createDeployment();
const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;

interface Played {
  /** The moments of the groups in each file, the oldest file first, in minutes from the beginning of the hour. */
  readonly minutes: readonly (readonly number[])[];
  readonly written: number;
  readonly lateMs: number;
  /** How long it took, on the clock. */
  readonly tookMs: number;
}

/** Plays an hour of requests on a clock of its own, into a log that is rotated every ten minutes and has a copy. */
async function playHour(requests: Batches<LogRequest>, begin: number, anchor?: Anchor): Promise<Played> {
  const folder = makeFolder();
  const clock = new FakeClock();
  clock.time = anchor?.clockMs ?? clock.time;
  const startedAt = clock.time;
  const options = { usedFiles: [], noun: 'group', signal: NEVER, warn: () => undefined };
  const rotation = { maxBytes: Infinity, everyMs: TEN_MINUTES_MS, now: clock.now, method: 'rename', keep: 10 } as const;
  const log = await openDestination(join(folder, 'error.log'), { ...options, rotation, copy: join(folder, 'sent.log') });
  const pacer = new Pacer({ speed: 1, clock, anchor });
  await writePieces(pacer.pace(groupPieces(requests, SITE)), log, NEVER);
  log.close();

  const files = rotatedIn(folder);
  expect(files.join('') === readBytes(folder, 'sent.log')).toBe(true);
  expect((await checked(files.join(''))).violations).toEqual([]);
  const minutes: number[][] = [];
  for (const file of files) {
    const logged = (await collect(readLoggedRequests(chunksOf(file)))).flat();
    minutes.push(logged.map(({ millisecond }) => Math.floor((millisecond - begin) / 60_000)));
  }
  return { minutes, written: log.written, lateMs: pacer.lateness.summary?.max ?? NaN, tookMs: clock.time - startedAt };
}

/** The first and the last minute of each file. */
function spansOf({ minutes }: Played): readonly (readonly [number | undefined, number | undefined])[] {
  return minutes.map((file) => [file[0], file.at(-1)]);
}

const SIX_FILES = [0, 1, 2, 3, 4, 5].map((file) => [10 * file, 10 * file + 9]);

test('synth --live --duration 1h: every group at its moment, six files, in an hour on the clock', async () => {
  const { plan, anchor, speed } = resolveSynth(parsedOptions(SYNTH.options, { live: true, duration: '1h', rate: '1' }));
  expect(speed).toBe(1);
  // Records show whole seconds: the hour begins with one.
  const begin = Math.ceil((anchor?.millisecond ?? 0) / 1000) * 1000;
  const shift = begin - (anchor?.millisecond ?? 0);
  const requests = [...drawRequests({ ...plan, targets: OBSERVED_TARGETS })].map((batch) =>
    batch.map((request) => ({ ...request, millisecond: request.millisecond + shift })),
  );
  const played = await playHour(requests, begin, anchor && { ...anchor, millisecond: begin });
  expect(played).toMatchObject({ written: 3600, lateMs: 0 });
  expect(spansOf(played)).toEqual(SIX_FILES);
  expect(played.tookMs).toBeGreaterThan(HOUR_MS - 20_000);
  expect(played.tookMs).toBeLessThanOrEqual(HOUR_MS);
});

test('replay --live: an hour of another year begins now, with its gaps', async () => {
  const { retiming, pace } = resolveReplay(parsedOptions(REPLAY.options, { live: true }));
  expect({ pace, speed: retiming?.speed }).toEqual({ pace: 1, speed: 1 });
  const begin = Math.ceil((retiming?.startAt() ?? 0) / 1000) * 1000;
  const from = Date.UTC(2020, 1, 29);
  const list = [
    Array.from({ length: 3600 }, (_, n) => ({ millisecond: from + n * 1000, method: 'GET', target: '/mail/', line: n + 1 })),
  ];
  const options = { order: 'strict', source: 'r.csv', deployment: SITE, passes: 1, mark: undefined } as const;
  const moved = prepareRequests(() => iterate(list), { ...options, retiming: { startAt: () => begin, speed: 1 } });
  const played = await playHour(moved, begin);
  expect(played).toMatchObject({ written: 3600, lateMs: 0, tookMs: HOUR_MS - 1000 });
  expect(spansOf(played)).toEqual(SIX_FILES);
});
