import {
  requireCount,
  requireOneOf,
  requireOptions,
  requirePositive,
  requireSignal,
  requireText,
  type OptionChecks,
} from '../arguments.js';
import { driverIn, ENVELOPE_CHOICES, requireTimed, type EnvelopeChoice } from '../envelope/envelopes.js';
import { createDeployment, requireDeployment, type Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import { requireTime, type Time } from '../requests/instant.js';
import { requireMark } from '../requests/target.js';
import { ORDERS, type Order } from '../requests/order.js';
import { prepareRequests, timingOf } from '../requests/prepare-requests.js';
import { namesOf } from '../wording.js';
import { toPieces } from './log-pieces.js';
import { buffersOf } from './pack.js';
import { pacePieces, systemClock } from './pacer.js';

/** Options of `replay`: those of the command `replay`. */
export interface ReplayOptions {
  /** The deployment that writes the log. Default: that of the specification; in an envelope of syslog with the driver `syslog`. */
  readonly deployment?: Deployment;
  /** The envelope to write each record in, at the moment of its request; whole groups are a buffer as ever. Default `none`. */
  readonly envelope?: EnvelopeChoice;
  /** A step back in time (6.4) is refused (`strict`, the default), sorted away (`sort`, in memory) or written (`keep`). */
  readonly order?: Order;
  /** The new time of the first request; all gaps are kept, divided by `speed`. Default: the requests keep their times. */
  readonly start?: Time;
  /** The number of passes, a second apart, or Infinity; more than one takes a function that gives the requests. Default 1. */
  readonly loop?: number;
  /** Writes in real time, at this multiple of the recorded speed. Default: as fast as the reader takes them. */
  readonly speed?: number;
  /** A query parameter that numbers the requests from 1 on, so that no two targets are equal. Default: none. */
  readonly mark?: string;
  /** The name of the list in messages. Default `<requests>`. */
  readonly source?: string;
  /** Ends a run in real time: once aborted, the wait for the next moment throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

const REPLAY_OPTIONS: OptionChecks<keyof ReplayOptions> = {
  // A deployment is checked key by key.
  deployment: () => undefined,
  envelope: requireOneOf(ENVELOPE_CHOICES),
  order: requireOneOf(namesOf(ORDERS)),
  start: requireTime,
  loop: requireCount(1),
  speed: requirePositive,
  mark: requireText,
  source: requireText,
  signal: requireSignal,
};

/**
 * Replays requests, as the command `replay` does. Gives the bytes of the log in buffers of whole groups (6), of at most 65,536 bytes. A
 * larger group is a buffer of its own. Every buffer ends in LF and may be kept. The groups of a batch are given before the next batch is
 * requested.
 * @param requests batches of requests: from `readRequestList`, `readAccessLog`, `readLoggedRequests`, `synthesize` or made by hand; or a
 *   function that returns batches, called for each pass of `loop`
 * @throws TypeError for an unknown option or order, a value of a wrong type, a batch that is not an array, and a `loop` without a function
 * @throws CallError for a `start` or a `mark` that is not valid, and for a driver without an envelope; DeploymentError for a deployment that is not complete
 * @throws DataError at a step back under `strict`, for an endless `loop` of no requests, and on a request moved to before 1970 or after
 *   the year 9999, each after the groups before it
 * @throws RangeError on a request that `formatGroup` would refuse, after the groups before it
 */
export async function* replay(
  requests: Batches<LogRequest> | (() => Batches<LogRequest>),
  options: ReplayOptions = {},
): AsyncGenerator<Buffer> {
  requireOptions(options, 'options', REPLAY_OPTIONS);
  const { order = 'strict', start, loop = 1, speed, mark, source = '<requests>', signal } = options;
  const envelope = options.envelope === 'none' ? undefined : options.envelope;
  const { deployment = createDeployment({ driver: driverIn(envelope) }) } = options;
  requireDeployment(deployment);
  requireTimed(deployment, envelope);
  if (mark !== undefined) requireMark('mark', mark);
  const { retiming, pace } = timingOf(start, speed, deployment.timezone);
  if (loop > 1 && typeof requests !== 'function')
    throw new TypeError('options.loop reads the requests again; give a function that returns them: () => readRequestList(…)');
  const readPass = typeof requests === 'function' ? requests : () => requests;
  const prepared = prepareRequests(readPass, { order, source, deployment, passes: loop, retiming, mark });
  const pieces = toPieces(prepared, { form: 'log', deployment, envelope });
  const clock = systemClock(signal ?? new AbortController().signal);
  yield* buffersOf(pace === undefined ? pieces : pacePieces(pieces, { speed: pace, clock }), false);
}
