import { refuseUse } from '../../errors.js';
import { refuseBeforeLogEnd, type Order } from '../../requests/order.js';
import { prepareRequests } from '../../requests/prepare-requests.js';
import type { Timing } from '../../requests/prepare-requests.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { STDIN } from '../inputs.js';
import type { WrittenLog } from '../options/log-writer.js';
import { STDOUT } from '../options/values.js';
import { writeRequests } from '../write-requests.js';
import { openLists, type ListOptions, type OpenLists } from './open-lists.js';

/** The options of `replay`. */
export interface ReplayOptions extends OutputOptions, WrittenLog, Timing, Omit<ListOptions, 'timezone'> {
  readonly order: Order;
  /** The number of times that the list is played; may be Infinity. Left out, once. */
  readonly loop?: number | undefined;
  /** The query parameter that numbers the requests, if any. */
  readonly mark?: string | undefined;
}

/**
 * Runs `replay`.
 *
 * @param files the request list or the access logs, as given; none for standard input
 * @throws the errors that `endWith` handles
 */
export async function runReplay(files: readonly string[], options: ReplayOptions): Promise<void> {
  const { deployment, envelope, order, retiming, pace, loop: passes = 1, mark, faults, output: outputFile = STDOUT } = options;
  await runCommand({ ...options, noun: 'group', followsPath: pace !== undefined }, async (run) => {
    const lists = await openLists(files, { ...options, timezone: deployment.timezone }, run);
    refuseStdin(files, lists, options);
    const { source, hasMore } = lists;
    const startBreaking = faults && (await (await import('../run-faults.js')).openFaults(faults, { deployment }, 'replay', run));
    const output = await run.openOutput(({ written }) => ({ share: lists.shareOf(written, passes) }));
    run.atEnd(() => {
      lists.saySkipped();
    });
    let requests = prepareRequests(lists.readPass, { order, source, deployment, passes, retiming, mark });
    const second = order === 'strict' ? await output.findLastSecond() : undefined;
    if (second !== undefined) requests = refuseBeforeLogEnd(requests, { second, file: outputFile }, { source, deployment });
    await writeRequests(requests, output, { form: 'log', deployment, envelope, speed: pace, hasMore, startBreaking }, run);
    return lists.findUnusable();
  });
}

/** @throws CallError for an input that is read more often than it can be */
function refuseStdin(files: readonly string[], { areFiles }: OpenLists, { loop = 1, faults }: ReplayOptions): void {
  const hasStdin = files.length === 0 || files.includes(STDIN);
  if (loop > 1 && (hasStdin || !areFiles)) throw refuseUse('loop', 'the input can be read only once', 'name a regular file');
  if (hasStdin && faults?.foreignFrom === STDIN) {
    throw refuseUse('foreignFrom', 'standard input is already the request list', 'name a file');
  }
}
