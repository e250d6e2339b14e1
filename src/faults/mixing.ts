import type { Draw } from '../requests/draws.js';

// The model of concurrent requests that came nearest to a capture of 16 clients. Chances are in 32nds, so that no draw is rounded.

/** The chance that a cluster of two groups has a third one, then a fourth one, and so on. */
const ANOTHER_WRITER = 17;
/** The writer loses its turn after its last load failure. */
const LOSS_AFTER_FAILURES = 10;
/** The writer loses its turn after the first record of a turn, once two groups have begun. */
const LOSS_AFTER_FIRST = 5;
/** The writer loses its turn after any other record. */
const LOSS = 2;
/** A group that has not begun is next, rather than the one that has waited longest. */
const NEW_WRITER = 14;

/** Larger clusters are rare (1 in 13,000) and take long to draw: hardly any draw of them keeps together. */
const MOST_WRITERS = 16;

/** Draws the number of groups of a cluster: 2 to 16. */
export function drawWriters(draw: Draw): number {
  let writers = 2;
  while (writers < MOST_WRITERS && isDrawn(ANOTHER_WRITER, draw)) writers += 1;
  return writers;
}

/**
 * Draws the order in which the records of concurrent groups are written: of each record the writer (from 0). Writers begin in their order,
 * and at every moment before the last record some group is begun and not ended.
 *
 * @param writers the number of groups, at least 2
 * @param records the number of records of each group, at least 2
 */
export function drawTurns(writers: number, records: number, draw: Draw): readonly number[] {
  for (;;) {
    const turns = tryTurns(writers, records, draw);
    if (turns !== undefined) return turns;
  }
}

/** As `drawTurns`, but undefined if the cluster falls apart. */
function tryTurns(writers: number, records: number, draw: Draw): readonly number[] | undefined {
  const written = Array<number>(writers).fill(0);
  const turns: number[] = [];
  /** The writers that have begun and lost their turn, the one that has waited longest first. */
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

function isDrawn(chance: number, draw: Draw): boolean {
  return draw() * 32 < chance;
}
