import { DataError, type BadRowError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import { readAccessLog, type AccessLogOptions, type SkipReason } from '../../requests/access-log/read-access-log.js';
import { readRequestList } from '../../requests/list/read-list.js';
import type { ListedRequest } from '../../requests/request.js';
import { countOf, escapeText } from '../../wording.js';
import type { CommandRun } from '../command-run.js';
import { nameFlag } from '../flags.js';
import { openInOrder } from '../inputs.js';
import { drainMessages, say } from '../messages.js';

export interface ListOptions {
  /** Undefined if the input is a request list. */
  readonly accessLog: Pick<AccessLogOptions, 'format' | 'keys' | 'prefixes' | 'everyLine'> | undefined;
  readonly onBadRow: 'stop' | 'skip';
  readonly timezone: string;
}

/** The requests that a file has given in its first pass, and its rows and lines that gave none. */
type ReadCounts = Record<'requests' | 'badRows' | SkipReason, number>;

const noCounts = (): ReadCounts => ({ requests: 0, badRows: 0, unhandled: 0, broken: 0 });

/** A request list, or access logs that are read as one. */
export class OpenLists {
  readonly source: string;
  /** True if the files can be read several times. */
  readonly areFiles: boolean;
  readonly #options: ListOptions;
  readonly #lists: readonly { readonly input: Input; readonly counts: ReadCounts }[];
  #hasBegun = false;

  constructor(inputs: readonly Input[], options: ListOptions) {
    this.source = inputs.map(({ source }) => source).join(', ');
    this.areFiles = inputs.every(({ stats }) => stats.isFile());
    this.#options = options;
    this.#lists = inputs.map((input) => ({ input, counts: noCounts() }));
  }

  /** True while more requests will come without a wait. */
  readonly hasMore = (): boolean => this.#lists.every(({ input }) => input.hasMore());

  /**
   * Reads all files from their beginning. Only the first pass is counted and reported. Each batch is held back until stderr has taken the
   * messages.
   */
  async *readPass(): AsyncGenerator<readonly ListedRequest[]> {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    const { accessLog, onBadRow: action, timezone } = this.#options;
    for (const { input, counts: firstCounts } of this.#lists) {
      const { source } = input;
      const counts = isFirst ? firstCounts : noCounts();
      const onBadRow = (error: BadRowError): void => {
        counts.badRows += 1;
        if (isFirst) say(error.messageWith(nameFlag));
      };
      const onSkipped = (why: SkipReason): void => void (counts[why] += 1);
      const blocks = isFirst ? input.blocks : input.peek();
      // A request names its file where there are several.
      const named = this.#lists.length > 1 && { source };
      const requests =
        accessLog === undefined
          ? readRequestList(blocks, { timezone, source, ...(action === 'skip' && { onBadRow }) })
          : readAccessLog(blocks, { ...accessLog, ...named, timezone, onSkipped });
      for await (const batch of requests) {
        counts.requests += batch.length;
        await drainMessages();
        yield batch;
      }
    }
  }

  /**
   * Estimates the share of the groups that have been written. How many the files give is inferred from the part that has been read; a
   * pipe and a list that is played for ever have no known end.
   */
  shareOf(written: number, passes: number): number | undefined {
    let [requests, read, size] = [0, 0, 0];
    for (const { input, counts } of this.#lists) {
      requests += counts.requests;
      read += input.counts.bytesRead;
      size += input.stats.size;
    }
    const expected = requests * passes * Math.max(1, size / read);
    return this.areFiles && expected > 0 && expected < Infinity ? Math.min(1, written / expected) : undefined;
  }

  /** The error for access logs in which no line is well-formed; undefined for any other input. */
  findUnusable(): DataError | undefined {
    const [first] = this.#lists;
    const isUnusable = this.#lists.every(({ counts }) => counts.broken > 0 && counts.unhandled + counts.requests === 0);
    if (first === undefined || !isUnusable) return undefined;
    const [form, options] =
      this.#options.accessLog?.format === 'json'
        ? ['JSON with a time and a target', 'check the file, --from and --keys']
        : ['one of the Common or Combined format', 'check the file and --from'];
    return new DataError({ source: this.source }, describeLines(first.counts), `no line is ${form}, ${options}`);
  }

  /** Reports what gave no request, unless the error says so. */
  saySkipped(): void {
    for (const { input, counts } of this.#lists) {
      const source = escapeText(input.source);
      const { badRows, unhandled, broken } = counts;
      if (badRows > 0) say(`${source}: ${countOf(badRows, 'bad row')} passed over`);
      if (unhandled + broken > 0 && this.findUnusable() === undefined) say(`${source}: ${describeLines(counts)}`);
    }
  }
}

function describeLines({ unhandled, broken }: ReadCounts): string {
  return `${countOf(unhandled, 'line')} passed over that the webmail did not handle, ${countOf(broken, 'broken line')}`;
}

/** Opens the lists of a run, in the order of the times of their first lines. @throws what `openInOrder` throws */
export async function openLists(files: readonly string[], options: ListOptions, run: CommandRun): Promise<OpenLists> {
  const { accessLog, timezone } = options;
  const inputs = await openInOrder(files, 'replay', 'request list', run, async (input) => {
    for await (const [first] of readAccessLog(input.peek(), { ...accessLog, timezone, everyLine: true })) {
      if (first !== undefined) return Math.floor(first.millisecond / 1000);
    }
    return undefined;
  });
  return new OpenLists(inputs, options);
}
