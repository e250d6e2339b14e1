import { CallError, refuseUse } from '../../errors.js';
import { refuseSteps } from '../../requests/order.js';
import { prepareRequests, timingOf } from '../../requests/prepare-requests.js';
import { runCommand } from '../command-run.js';
import { refuseSecondStdin, STDIN } from '../inputs.js';
import { resolveLogWriter } from '../options/log-writer.js';
import { firstGiven, runOf, type Given } from '../options/option.js';
import { STDOUT } from '../options/values.js';
import { writeRequests } from '../write-requests.js';
import { COMMAND } from './command.js';
import { openLists, type ListOptions } from './open-lists.js';

/** The options that `--live` stands for. */
const LIVE = { start: 'now', speed: 1 } as const;

export const RUN = runOf(COMMAND, async ({ requests: files }, given) => {
  const options = resolveReplay(given, files.length);
  const { deployment, envelope, order, retiming, pace, loop: passes = 1, mark, faults, output: outputFile = STDOUT } = options;
  const names = files.length === 0 ? [STDIN] : files;
  refuseSecondStdin([...names, faults?.foreignFrom], 'name a file');
  await runCommand({ ...options, noun: 'group', followsPath: pace !== undefined }, async (run) => {
    const lists = await openLists(files, { ...options, timezone: deployment.timezone }, run);
    const { source, hasMore } = lists;
    if (passes > 1 && (names.includes(STDIN) || !lists.areFiles))
      throw refuseUse('loop', 'the input can be read only once', 'name a regular file');
    const breaking = faults && (await (await import('../run-faults.js')).openFaults(faults, { deployment, envelope }, run));
    const output = await run.openOutput(({ written }) => ({ share: lists.shareOf(written, passes) }));
    run.atEnd(() => {
      lists.saySkipped();
    });
    let requests = prepareRequests(() => lists.readPass(), { order, source, deployment, passes, retiming, mark });
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
      throw refuseUse(useless, 'applies to access logs only', `give --from ${format} too`);
    }
    if (files <= 1) return undefined;
    throw new CallError({ source: 'replay' }, 'several request lists are not read as one', 'name one, or give --from access-log');
  }
  if (keys !== undefined && from !== 'access-json')
    throw refuseUse('keys', 'applies to JSON only', 'give --from access-json too');
  if (prefixes !== undefined && everyLine === true)
    throw refuseUse('prefixes', 'cannot be combined with --every-line', 'give one of the two');
  const format = from === 'access-json' ? 'json' : 'common';
  return { format, everyLine: everyLine === true, ...(keys && { keys }), ...(prefixes && { prefixes }) };
}
