import type { Draw } from '../requests/draws.js';
import type { Change, Groups } from './fault.js';

export function makeLate([late, ...others]: Groups): Change {
  return { before: others.flatMap(({ lines }) => lines), touched: late.lines, after: [], details: { kind: 'late' } };
}

/** Mixes the records of groups as concurrent requests mix them. */
export function interleave(groups: Groups, draw: Draw): Change {
  const rest = groups.map(({ lines }) => lines.values());
  const touched = drawTurns(groups.length, groups[0].lines.length, draw).map((writer) => rest[writer]?.next().value ?? '');
  const details = { kind: 'interleave', requests: groups.map(({ request }) => request) } as const;
  return { before: [], touched, after: [], details };
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
function drawTurns(writers: number, records: number, draw: Draw): readonly number[] {
  for (;;) {
    const turns = tryTurns(writers, records, draw);
    if (turns !== undefined) return turns;
  }
}

/** Draws turns once; undefined if the cluster falls apart, because all groups begun are complete too early. */
function tryTurns(writers: number, records: number, draw: Draw): readonly number[] | undefined {
  const turns: number[] = [];
  const coming = Array.from({ length: writers }, (_, writer) => ({ writer, left: records }));
  /** The groups that have begun and lost their turn, in that order. */
  const waiting: typeof coming = [];
  for (let group = coming.shift(); group !== undefined;) {
    for (let isFirst = coming.length < writers - 1; ; isFirst = false) {
      turns.push(group.writer);
      group.left -= 1;
      if (group.left === 0) break;
      if (!isDrawn(group.left === 1 ? LOSS_AFTER_FAILURES : isFirst ? LOSS_AFTER_FIRST : LOSS, draw)) continue;
      waiting.push(group);
      break;
    }
    const isNew = waiting.length > 0 && coming.length > 0 && isDrawn(NEW_WRITER, draw);
    group = (isNew ? coming : waiting).shift();
  }
  return coming.length === 0 ? turns : undefined;
}

function isDrawn(probability: number, draw: Draw): boolean {
  return draw() * 32 < probability;
}
