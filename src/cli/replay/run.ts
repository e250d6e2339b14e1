import { CallError, refuseUse, type Phrase } from '../../errors.js';
import { refuseSteps } from '../../requests/order.js';
import { prepareRequests, timingOf } from '../../requests/prepare-requests.js';
import { runCommand } from '../command-run.js';
import { STDIN } from '../inputs.js';
import { resolveLogWriter } from '../options/log-writer.js';
import { firstGiven, runOf, type Given } from '../options/option.js';
import { STDOUT } from '../options/values.js';
import { writeRequests } from '../write-requests.js';
import { COMMAND } from './command.js';
import { openLists, type ListOptions, type OpenLists } from './open-lists.js';

/** The options that `--live` stands for. */
const LIVE = { start: 'now', speed: 1 } as const;

export const RUN = runOf(COMMAND, async ({ requests: files }, given) => {
  const options = resolveReplay(given, files.length);
  const { deployment, envelope, order, retiming, pace, loop: passes = 1, mark, faults, output: outputFile = STDOUT } = options;
  await runCommand({ ...options, noun: 'group', followsPath: pace !== undefined }, async (run) => {
    const lists = await openLists(files, { ...options, timezone: deployment.timezone }, run);
    refuseStdin(files, lists, options);
    const { source, hasMore } = lists;
    const breaking = faults && (await (await import('../run-faults.js')).openFaults(faults, { deployment, envelope }, run));
    const output = await run.openOutput(({ written }) => ({ share: lists.shareOf(written, passes) }));
    run.atEnd(() => {
      lists.saySkipped();
    });
    let requests = prepareRequests(lists.readPass, { order, source, deployment, passes, retiming, mark });
    const second = order === 'strict' ? await output.findLastSecond() : undefined;
    if (second !== undefined) requests = refuseSteps(requests, { source, deployment }, { second, file: outputFile });
    await writeRequests(requests, output, run, { form: 'log', deployment, envelope, speed: pace, hasMore, ...breaking });
    return lists.findUnusable();
  });
});

/** Resolves what needs several options. @param files the number of inputs @throws CallError that names the option at fault */
export function resolveReplay(parsed: Given<typeof COMMAND.options>, files = 1) {
  const options = parsed.live === true ? { ...LIVE, ...parsed } : parsed;
  const log = resolveLogWriter(options);
  const timing = timingOf(options.start, options.speed, log.deployment.timezone);
  return { ...options, ...log, ...timing, accessLog: resolveAccessLog(options, files) };
}

function resolveAccessLog(options: Given<typeof COMMAND.options>, files: number): ListOptions['accessLog'] {
  const { from, prefixes, everyLine, keys } = options;
  if (from === 'csv') {
    const useless = firstGiven(options, 'everyLine', 'prefixes', 'keys');
    if (useless !== undefined) {
      const format = useless === 'keys' ? 'access-json' : 'access-log';
      throw refuseUse(useless, 'applies to access logs only', (option) => `give ${option('from', format)} too`);
    }
    if (files <= 1) return undefined;
    const remedy: Phrase = (option) => `name one, or give ${option('from', 'access-log')}`;
    throw new CallError({ source: 'replay' }, 'several request lists are not read as one', remedy);
  }
  if (keys !== undefined && from !== 'access-json') {
    throw refuseUse('keys', 'applies to JSON only', (option) => `give ${option('from', 'access-json')} too`);
  }
  if (prefixes !== undefined && everyLine === true) {
    throw refuseUse('prefixes', (option) => `cannot be combined with ${option('everyLine')}`, 'give one of the two');
  }
  const format = from === 'access-json' ? 'json' : 'common';
  return { format, everyLine: everyLine === true, ...(keys && { keys }), ...(prefixes && { prefixes }) };
}

/** Refuses an input that is read more often than it can be. */
function refuseStdin(
  files: readonly string[],
  { areFiles }: OpenLists,
  { loop = 1, faults }: ReturnType<typeof resolveReplay>,
): void {
  const hasStdin = files.length === 0 || files.includes(STDIN);
  if (loop > 1 && (hasStdin || !areFiles)) throw refuseUse('loop', 'the input can be read only once', 'name a regular file');
  if (hasStdin && faults?.foreignFrom === STDIN)
    throw refuseUse('foreignFrom', 'standard input is already the request list', 'name a file');
}
