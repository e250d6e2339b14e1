import type { Draw } from '../requests/draws.js';
import type { Change, Groups } from './fault.js';

export function makeLate([late, ...others]: Groups): Change {
  const lines = [...others, late].flatMap((group) => group.lines);
  const touched = late.lines.length;
  return { lines, at: lines.length - touched, touched, details: { kind: 'late' } };
}

/** Mixes the records of groups as concurrent requests mix them. */
export function interleave(groups: Groups, draw: Draw): Change {
  const written = groups.map(() => 0);
  const lines = drawTurns(groups.length, groups[0].lines.length, draw).map((writer) => {
    const at = written[writer] ?? 0;
    written[writer] = at + 1;
    return groups[writer]?.lines[at] ?? '';
  });
  const details = { kind: 'interleave', requests: groups.map(({ request }) => request) } as const;
  return { lines, at: 0, touched: lines.length, details };
}

// A model of concurrent requests, fitted to a capture of 16 clients. Probabilities are in 32nds, so that no draw is rounded.

/** The probability that a cluster of two groups has a third group, then a fourth group, and so on. */
const ANOTHER_WRITER = 17;
/** The probability that the writer loses its turn after its last load failure. */
const LOSS_AFTER_FAILURES = 10;
/** The same after the first record of a turn, once two groups have begun. */
const LOSS_AFTER_FIRST = 5;
const LOSS = 2;
/** The probability that the next writer is a new group, not the group that has waited longest. */
const NEW_WRITER = 14;

/** Larger clusters are rare (1 in 13,000), and slow to draw: nearly every draw falls apart. */
const MOST_WRITERS = 16;

export function drawWriters(draw: Draw): number {
  let writers = 2;
  while (writers < MOST_WRITERS && isDrawn(ANOTHER_WRITER, draw)) writers += 1;
  return writers;
}

/** Draws the writer (from 0) of each record. Writers begin in order; until the last record some group is always incomplete. */
export function drawTurns(writers: number, records: number, draw: Draw): readonly number[] {
  for (;;) {
    const turns = tryTurns(writers, records, draw);
    if (turns !== undefined) return turns;
  }
}

/** Draws turns once; undefined if the cluster falls apart, because all groups begun are complete too early. */
function tryTurns(writers: number, records: number, draw: Draw): readonly number[] | undefined {
  const written = Array<number>(writers).fill(0);
  const turns: number[] = [];
  /** A queue of the writers that have begun and lost their turn. */
  const waiting: number[] = [];
  let begun = 1;
  let writer = 0;
  let turnRecords = 0;
  for (;;) {
    turns.push(writer);
    turnRecords += 1;
    const count = (written[writer] ?? 0) + 1;
    written[writer] = count;
    if (count < records) {
      const isFirst = turnRecords === 1 && begun > 1;
      if (!isDrawn(count === records - 1 ? LOSS_AFTER_FAILURES : isFirst ? LOSS_AFTER_FIRST : LOSS, draw)) continue;
      waiting.push(writer);
    }
    turnRecords = 0;
    if (waiting.length === 0) return begun === writers ? turns : undefined;
    if (begun < writers && isDrawn(NEW_WRITER, draw)) {
      writer = begun;
      begun += 1;
    } else {
      writer = waiting.shift() ?? 0;
    }
  }
}

function isDrawn(probability: number, draw: Draw): boolean {
  return draw() * 32 < probability;
}
