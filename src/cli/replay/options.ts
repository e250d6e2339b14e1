import { CallError } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import type { Order } from '../../requests/orders.js';
import { parseCount, parseMark, parsePositive, parseTime } from '../options/option-values.js';
import type { RawReplayOptions } from './command.js';
import { resolveDeployment } from '../options/resolve-deployment.js';
import { resolvePrefixes } from '../options/prefixes.js';

/** The options as meant. */
export interface ReplayOptions {
  /** Left out, the input is a request list. */
  readonly accessLog: { readonly prefixes?: readonly string[]; readonly everyLine: boolean } | undefined;
  readonly outputFile: string;
  readonly deployment: Deployment;
  readonly order: Order;
  readonly skipBadRows: boolean;
  /** Where the list is to be moved in time, if it is. */
  readonly retiming: { readonly startAt: () => number; readonly speed: number } | undefined;
  /** How many times as fast as its requests then stand each comes at its moment; undefined if all come at once. */
  readonly pace: number | undefined;
  readonly passes: number;
  readonly mark: string | undefined;
}

/** @throws CallError that names the option at fault */
export function resolveReplay(raw: RawReplayOptions): ReplayOptions {
  const deployment = resolveDeployment(raw);
  const speed = raw.speed === undefined ? undefined : parsePositive('--speed', raw.speed);
  const startAt = raw.start === undefined ? undefined : resolveStart(raw.start, deployment);
  return {
    accessLog: resolveAccessLog(raw),
    outputFile: raw.output ?? '-',
    deployment,
    order: raw.order,
    skipBadRows: raw.onBadRow === 'skip',
    retiming: startAt && { startAt, speed: speed ?? 1 },
    // Gaps that re-timing has divided are played as they are.
    pace: speed !== undefined && startAt !== undefined ? 1 : speed,
    passes: raw.loop === undefined ? 1 : parseCount('--loop', raw.loop, 1),
    mark: raw.mark === undefined ? undefined : parseMark('--mark', raw.mark),
  };
}

function resolveAccessLog({ from, prefixes, everyLine = false }: RawReplayOptions): ReplayOptions['accessLog'] {
  if (from === 'access-log') {
    if (prefixes === undefined) return { everyLine };
    if (!everyLine) return { everyLine, prefixes: resolvePrefixes(prefixes) };
    throw new CallError({ source: '--prefixes' }, 'with --every-line no line is passed over', 'give one of the two');
  }
  const flag = everyLine ? '--every-line' : prefixes === undefined ? undefined : '--prefixes';
  if (flag === undefined) return undefined;
  throw new CallError({ source: flag }, 'is for access logs', 'give --from access-log with it');
}

function resolveStart(text: string, { timezone }: Deployment): () => number {
  const start = parseTime('--start', text, timezone);
  return () => start ?? Date.now();
}
