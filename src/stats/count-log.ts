import { DataError } from '../errors.js';
import type { LoadFailure } from '../log/line.js';
import { InferredGroups } from '../reading/inferred-groups.js';
import type { Counted } from '../reading/line-places.js';
import type { LogBytes } from '../reading/log-files.js';
import { readLog, type LogReader } from '../reading/log-reader.js';
import { Tally, type PassedOver } from '../reading/passed-over.js';
import { pathOf } from '../requests/target.js';
import { BoundedCounts } from './bounded-counts.js';
import { messagePatternOf } from './message-pattern.js';
import { Peak, Timeline } from './timeline.js';

type Moment = Pick<LoadFailure, 'timestamp' | 'utcOffset' | 'second' | 'localSecond'>;

/** The figures of a log, counted in bounded memory. A request is a group whose load failures are all there. */
export class LogCounts implements PassedOver {
  lines = 0;
  foreign: Counted = new Tally();
  foreignWithCr = 0;
  foreignPrefix: string | undefined;
  firstForeign: string | undefined;
  incomplete: Counted = new Tally();
  groups = 0;
  records = 0;
  readonly foreignMessages = new BoundedCounts();
  /** The last line of the last foreign message, if that began with `[`. */
  #messageLine: number | undefined;
  /** The earliest and the latest request, in whatever order the log has them. */
  first: Moment | undefined;
  last: Moment | undefined;
  /** Groups that are earlier than the group above them (6.4). */
  readonly stepsBack = new Tally();
  /** The error that ended the log before its end; what is counted is what came before it. */
  failure: DataError | undefined;
  #second = -Infinity;
  readonly methods = new BoundedCounts();
  /** By path, without authorities and queries, once there are too many. */
  readonly targets = new BoundedCounts(pathOf);
  readonly timeline = new Timeline();
  readonly peakSecond = new Peak(1);
  readonly peakMinute = new Peak(60);

  take(events: LogReader): void {
    for (const event of events) {
      if (event.kind === 'group') {
        const { entries, isComplete, firstFailure: first, firstLine } = event.group;
        this.records += entries.length;
        if (isComplete && first !== undefined) this.#addRequest(firstLine, first, first.httpMethod, first.requestTarget);
      } else if (event.kind === 'whole') {
        const { group } = event;
        this.records += group.constants.recordCount;
        this.#addRequest(group.line, group, group.method, group.target);
      } else this.#addForeign(event.line, event.text);
    }
  }

  /** A message begins at a line with `[`; foreign lines without one, directly below it, belong to it. */
  #addForeign(line: number, text: string): void {
    const begins = text.startsWith('[');
    const belongs = !begins && this.#messageLine === line - 1;
    if (!belongs) this.foreignMessages.add(messagePatternOf(text));
    this.#messageLine = begins || belongs ? line : undefined;
  }

  #addRequest(line: number, moment: Moment, method: string, target: string): void {
    const { second, localSecond } = moment;
    this.groups += 1;
    if (second < this.#second) this.stepsBack.add(line);
    this.#second = second;
    if (this.first === undefined || second < this.first.second) this.first = moment;
    if (this.last === undefined || second > this.last.second) this.last = moment;
    this.methods.add(method);
    this.targets.add(target);
    this.timeline.add(localSecond);
    this.peakSecond.add(moment);
    this.peakMinute.add(moment);
  }
}

/** Counts the requests, the records and the foreign lines of a log. @param onRead is called with the number of lines read so far */
export async function countLog(log: LogBytes, onRead?: (lines: number) => void): Promise<LogCounts> {
  const counts = new LogCounts();
  const onEnd = (passedOver: PassedOver) => Object.assign(counts, passedOver);
  try {
    for await (const events of readLog(log, new InferredGroups(), { ...(onRead && { onRead }), onEnd })) counts.take(events);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    counts.failure = error;
  }
  return counts;
}
