import { CallError, DataError, refuseUse, type BadRowError } from '../../errors.js';
import { readAccessLog, type SkipReason } from '../../requests/access-log/read-access-log.js';
import { readRequestList } from '../../requests/list/read-list.js';
import { refuseSteps } from '../../requests/order.js';
import { prepareRequests, timingOf } from '../../requests/prepare-requests.js';
import type { ListedRequest } from '../../requests/request.js';
import { countOf, escapeText } from '../../wording.js';
import { runCommand, type CommandRun } from '../command-run.js';
import { measureRead, openInOrder, refuseSecondStdin, STDIN } from '../inputs.js';
import { drainMessages, nameFlag, say } from '../messages.js';
import { resolveLogWriter } from '../options/log-writer.js';
import { firstGiven, type Given, type RunOf } from '../options/option.js';
import { STDOUT } from '../options/values.js';
import { writeRequests } from '../write-requests.js';
import type { COMMAND } from './command.js';

const LIVE = { start: 'now', speed: 1 } as const;

export const RUN: RunOf<typeof COMMAND> = async ({ requests: files }, given) => {
  const options = resolveReplay(given, files.length);
  const { deployment, envelope, order, retiming, pace, loop: passes = 1, mark, faults, output: outputFile = STDOUT } = options;
  const names = files.length === 0 ? [STDIN] : files;
  refuseSecondStdin([...names, faults?.foreignFrom], 'name a file');
  await runCommand({ ...options, noun: 'group', followsPath: pace !== undefined }, async (run) => {
    const lists = await openLists(files, options, run);
    const { source, hasMore } = lists;
    if (passes > 1 && (names.includes(STDIN) || !lists.areFiles))
      throw refuseUse('loop', 'the input can be read only once', 'name a regular file');
    const breaking = faults && (await (await import('../run-faults.js')).openFaults(faults, { deployment, envelope }, run));
    const output = await run.openOutput(({ written }) => ({ share: lists.shareOf(written, passes) }));
    run.atEnd(lists.saySkipped);
    let requests = prepareRequests(lists.readPass, { order, source, deployment, passes, retiming, mark });
    const second = order === 'strict' ? await output.findLastSecond() : undefined;
    if (second !== undefined) requests = refuseSteps(requests, { source, deployment }, { second, file: outputFile });
    await writeRequests(requests, output, run, { form: 'log', deployment, envelope, speed: pace, hasMore, ...breaking });
    return lists.findUnusable();
  });
};

/** Resolves what needs several options. @param files the number of inputs @throws CallError that names the option at fault */
export function resolveReplay(parsed: Given<typeof COMMAND.options>, files = 1) {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const log = resolveLogWriter(options);
  const timing = timingOf(options.start, options.speed, log.deployment.timezone);
  return { ...options, ...log, ...timing, accessLog: resolveAccessLog(options, files) };
}

/** Resolves the reading of access logs; undefined for a request list. */
function resolveAccessLog(options: Given<typeof COMMAND.options>, files: number) {
  const { from, prefixes, everyLine, keys } = options;
  if (from === 'csv') {
    const useless = firstGiven(options, 'everyLine', 'prefixes', 'keys');
    if (useless !== undefined) {
      const format = useless === 'keys' ? 'access-json' : 'access-log';
      throw refuseUse(useless, 'applies to access logs only', `give --from ${format} too`);
    }
    if (files <= 1) return undefined;
    throw new CallError({ source: 'replay' }, 'several request lists are not read as one', 'name one, or give --from access-log');
  }
  if (keys !== undefined && from !== 'access-json')
    throw refuseUse('keys', 'applies to JSON only', 'give --from access-json too');
  if (prefixes !== undefined && everyLine === true)
    throw refuseUse('prefixes', 'cannot be combined with --every-line', 'give one of the two');
  const format = from === 'access-json' ? ('json' as const) : ('common' as const);
  return { format, everyLine: everyLine === true, ...(keys && { keys }), ...(prefixes && { prefixes }) };
}

/** The requests that a file has given, and its rows and lines that gave none. */
type ReadCounts = Record<'requests' | 'badRows' | SkipReason, number>;

const noCounts = (): ReadCounts => ({ requests: 0, badRows: 0, unhandled: 0, broken: 0 });

/** Opens a request list, or access logs that are read as one, in the order of the times of their first lines. @throws what `openInOrder` throws */
async function openLists(
  files: readonly string[],
  { accessLog, onBadRow: action, deployment: { timezone } }: ReturnType<typeof resolveReplay>,
  run: CommandRun,
) {
  const inputs = await openInOrder(files, 'replay', 'request list', run, async (input) => {
    for await (const [first] of readAccessLog(input.peek(), { ...accessLog, timezone, everyLine: true }))
      if (first !== undefined) return Math.floor(first.millisecond / 1000);
    return undefined;
  });
  const counted = inputs.map(() => noCounts());
  const source = inputs.map((input) => input.source).join(', ');
  let pass = 0;

  /** Reads all files from their beginning. Only the first pass is counted. Each batch is held back until stderr has taken the messages. */
  const readPass = async function* (): AsyncGenerator<readonly ListedRequest[]> {
    pass += 1;
    const isFirst = pass === 1;
    for (const [index, input] of inputs.entries()) {
      const counts = (isFirst ? counted[index] : undefined) ?? noCounts();
      const onBadRow = (error: BadRowError): void => {
        counts.badRows += 1;
        if (isFirst) say(error.messageWith(nameFlag));
      };
      const onSkipped = (why: SkipReason): void => void (counts[why] += 1);
      const blocks = isFirst ? input.blocks : input.peek();
      // A request names its file where there are several.
      const named = inputs.length > 1 && { source: input.source };
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
  };

  /** Estimates the share of the groups that have been written from the share of the files that has been read. A pipe has no known end. */
  const shareOf = (written: number, passes: number): number | undefined => {
    const { share } = measureRead(inputs);
    const requests = counted.reduce((sum, counts) => sum + counts.requests, 0);
    const expected = (requests * passes) / (share ?? NaN);
    return expected > 0 && expected < Infinity ? Math.min(1, written / expected) : undefined;
  };

  /** The error for access logs in which no line is well-formed; undefined for any other input. */
  const findUnusable = (): DataError | undefined => {
    const isUnusable = counted.every(({ broken, unhandled, requests }) => broken > 0 && unhandled + requests === 0);
    if (!isUnusable) return undefined;
    const remedy =
      accessLog?.format === 'json'
        ? 'no line is JSON with a time and a target, check the file, --from and --keys'
        : 'no line is one of the Common or Combined format, check the file and --from';
    return new DataError({ source }, describeLines(counted[0] ?? noCounts()), remedy);
  };

  /** Reports what gave no request, unless the error says so. */
  const saySkipped = (): void => {
    for (const [index, counts] of counted.entries()) {
      const name = escapeText(inputs[index]?.source ?? '');
      if (counts.badRows > 0) say(`${name}: ${countOf(counts.badRows, 'bad row')} passed over`);
      if (counts.unhandled + counts.broken > 0 && findUnusable() === undefined) say(`${name}: ${describeLines(counts)}`);
    }
  };

  return {
    source,
    /** True if the files can be read several times. */
    areFiles: inputs.every(({ stats }) => stats.isFile()),
    hasMore: () => inputs.every((input) => input.hasMore()),
    ...{ readPass, shareOf, findUnusable, saySkipped },
  };
}

function describeLines({ unhandled, broken }: ReadCounts): string {
  return `${countOf(unhandled, 'line')} passed over that the webmail did not handle, ${countOf(broken, 'broken line')}`;
}
