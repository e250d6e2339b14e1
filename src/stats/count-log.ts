import type { OpenGroup } from '../reading/open-group.js';
import { Tally, type Counted } from '../reading/tally.js';
import type { Stamp } from '../log/timestamp.js';
import { readLog, type Sink } from '../reading/read-log.js';
import type { WholeGroup } from '../reading/whole-group.js';
import { pathOf } from '../requests/target.js';
import { BoundedCounts } from './bounded-counts.js';
import { Peak } from './peak.js';
import { Timeline } from './timeline.js';

/** The time of a request. */
interface Moment extends Stamp {
  /** A Unix second. */
  readonly second: number;
  /** The timestamp as if it were UTC, in seconds since 1970-01-01T00:00:00. */
  readonly localSecond: number;
}

/** The figures of a log, counted in bounded memory. A request is a whole group. */
export class LogCounts implements Sink<never> {
  groups = 0;
  /** All records, those of incomplete groups too. */
  records = 0;
  /** Lines that are not records. */
  foreign: Counted = new Tally();
  /** The number of foreign lines that would be records without the CR at their end. */
  foreignWithCr = 0;
  /** Groups that are missing a record. */
  incomplete: Counted = new Tally();
  /** The earliest and the latest request, in whatever order the log has them. */
  first: Moment | undefined;
  last: Moment | undefined;
  readonly methods = new BoundedCounts();
  /** By path, without authorities and queries, once there are too many. */
  readonly targets = new BoundedCounts(pathOf);
  readonly timeline = new Timeline();
  readonly peakSecond = new Peak(1);
  readonly peakMinute = new Peak(60);

  addRecord(): void {
    this.records += 1;
  }

  addGroup({ firstFailure: first }: OpenGroup): void {
    if (first !== undefined) this.#addRequest(first, first.httpMethod, first.requestTarget);
  }

  addWholeGroup(group: WholeGroup): void {
    this.records += group.constants.recordCount;
    this.#addRequest(group, group.method, group.target);
  }

  drain(): readonly never[] {
    return [];
  }

  #addRequest(moment: Moment, method: string, target: string): void {
    const { second, localSecond } = moment;
    this.groups += 1;
    if (this.first === undefined || second < this.first.second) this.first = moment;
    if (this.last === undefined || second > this.last.second) this.last = moment;
    this.methods.add(method);
    this.targets.add(target);
    this.timeline.add(localSecond);
    this.peakSecond.add(second, moment);
    this.peakMinute.add(second, moment);
  }
}

/**
 * Counts the requests and records of a log.
 *
 * @param chunks the bytes of the log, cut anywhere; a Node stream will do
 * @param onRead is called after each chunk with the number of lines read so far
 */
export async function countLog(chunks: AsyncIterable<Uint8Array>, onRead?: (lines: number) => void): Promise<LogCounts> {
  const counts = new LogCounts();
  const reading = readLog(chunks, counts, {
    ...(onRead && { onRead }),
    onEnd: ({ foreign, foreignWithCr, incomplete }) => {
      counts.foreign = foreign;
      counts.foreignWithCr = foreignWithCr;
      counts.incomplete = incomplete;
    },
  });
  // The sink counts, and gives nothing.
  for await (const _ of reading);
  return counts;
}
