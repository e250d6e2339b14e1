import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import type { LogRecord } from '../../src/log/line.js';
import type { Entry } from '../../src/reading/record-group.js';
import { zoneNamed } from '../../src/log/zone.js';

export const TIMINGS = ['even', 'burst', 'late', 'short', 'slow'] as const;

export interface Simulation {
  readonly workers: number;
  readonly requests: number;
  /** A request takes at most so long from its first record to its last. */
  readonly longestMs: number;
  /**
   * When a request writes: `even` draws every gap alike, `burst` writes the load failures at once and a fifth of the deprecation records
   * late, `late` writes the first record, and after most of its time all others at once, `short` draws most requests far below the longest, `slow` writes the load failures at once and the deprecation record of half
   * of the requests at the end of the longest time.
   */
  readonly timing: (typeof TIMINGS)[number];
  readonly seed: number;
  readonly start: number;
  /** How many targets there are; 0 gives each request its own. */
  readonly targets: number;
}

export interface SimulatedEntry extends Entry {
  readonly request: number;
}

export const PLUGINS = 7;
const ZONE = zoneNamed('Europe/Warsaw');

/** The records of a server whose workers handle one request after the other, in the order in which they are written. */
export function simulateRequests({ workers, requests, longestMs, timing, seed, start, targets }: Simulation): SimulatedEntry[] {
  const generator = xoroshiro128plus(seed);
  const draw = (): number => (generator.next() >>> 0) / 2 ** 32;
  const freeAt = Array.from({ length: workers }, () => draw() * 50);
  const writes: { readonly at: number; readonly place: number; readonly request: number; readonly target: string }[] = [];
  for (let request = 0; request < requests; request += 1) {
    const worker = freeAt.indexOf(Math.min(...freeAt));
    // Now and then nothing is asked for a while.
    let at = (freeAt[worker] ?? 0) + (draw() < 0.05 ? draw() * draw() * 3000 : 0);
    const isSlow = timing === 'slow' && draw() < 0.5;
    const took = isSlow ? (0.9 + 0.1 * draw()) * longestMs : (timing === 'even' ? draw() : draw() * draw() * draw()) * longestMs;
    const isLate = timing === 'burst' && draw() >= 0.8;
    const gaps = Array.from({ length: PLUGINS }, (_, place) => {
      const gap = -Math.log(1 - draw());
      if (timing === 'late') return place === 0 ? 1 + gap : gap * 0.002;
      if (timing === 'slow') return place === PLUGINS - 1 ? 1 + gap : gap * 0.002;
      if (timing !== 'burst' || place === PLUGINS - 1) return isLate ? gap * 10 : gap;
      return gap * 0.02;
    });
    const sum = gaps.reduce((total, gap) => total + gap, 0);
    const target = `/t${String(targets === 0 ? request : Math.floor(draw() * targets))}`;
    for (let place = 0; place <= PLUGINS; place += 1) {
      if (place > 0) at += ((gaps[place - 1] ?? 0) / sum) * took;
      writes.push({ at, place, request, target });
    }
    freeAt[worker] = at + draw() * 20;
  }
  // A stable sort: a request's records stay in order.
  writes.sort((one, other) => one.at - other.at);
  return writes.map(({ at, place, request, target }, index) => {
    const record = recordAt(start + Math.floor(at / 1000), place, target);
    return { record, line: index + 1, place, request };
  });
}

/** Without spread syntax, which takes a third of the time of a simulation. */
function recordAt(second: number, place: number, target: string): LogRecord {
  const localSecond = second + offsetAt(second);
  return place === PLUGINS
    ? {
        kind: 'deprecation',
        timestamp: '',
        runtimeTag: 'PHP',
        lineNumber: 1,
        localSecond,
        timezoneName: 'Europe/Warsaw',
        sessionFilePath: '/s',
        dialect: 'spec',
      }
    : {
        kind: 'load_failure',
        timestamp: '',
        runtimeTag: 'PHP',
        lineNumber: 1,
        localSecond,
        utcOffset: '',
        pluginFilePath: '/p',
        pluginLoaderFilePath: '/l',
        httpMethod: 'GET',
        requestTarget: target,
        second,
      };
}

let known = { second: NaN, offset: 0 };

/** The offset of the zone at a second; most records are of the second of the record before. */
function offsetAt(second: number): number {
  if (known.second !== second) known = { second, offset: ZONE.offsetAt(second) };
  return known.offset;
}

const SITE = createDeployment();

/** The lines of a simulated log of 150 requests, each with its LF: of unique targets, so that no two load failures are equal. */
export function simulateLines(simulation: Pick<Simulation, 'workers' | 'longestMs' | 'timing' | 'seed'>): string[] {
  const entries = simulateRequests({ ...simulation, requests: 150, start: 1_747_562_400, targets: 0 });
  const offset = 7200;
  const groups = new Map<number, string>();
  return entries.map(({ record, place, request }) => {
    const second = record.localSecond - offset;
    const group = groups.get(second) ?? formatGroup({ millisecond: second * 1000, method: 'GET', target: '/' }, SITE);
    groups.set(second, group);
    return group.split(/(?<=\n)/)[place]?.replace('(GET /)', `(GET /${String(request)})`) ?? '';
  });
}
