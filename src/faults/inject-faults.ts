import { requireKinds, requireOneOf, requireOptions, requireText, requireType, type OptionChecks } from '../arguments.js';
import { ENVELOPE_CHOICES, requireTimed, type EnvelopeChoice } from '../envelope/envelopes.js';
import type { Deployment } from '../log/deployment.js';
import type { Batches, LogRequest } from '../log/group.js';
import { pack } from '../output/pack.js';
import { toPieces } from '../output/log-pieces.js';
import type { Fault } from './fault.js';
import { FaultInjector } from './fault-injector.js';
import { fillRates, findExcess, isShare, RATE_NAMES, REAL_RECORDS, type FaultRates, type RealRecord } from './kinds.js';

/** Options of `injectFaults`. */
export interface FaultOptions {
  readonly rates: FaultRates;
  /** Selects the groups that are broken, and where in each: a whole number. Default 1. */
  readonly seed?: number;
  /**
   * The records for `foreign`: byte strings without an LF at their end, at least one. Each gets the second, the UTC offset or timezone, and
   * the install root of its group. Default: records of the real software.
   */
  readonly foreignRecords?: readonly string[];
  /** The kinds of records of the real software that `foreign` draws. Default: all. Not with `foreignRecords`. */
  readonly foreignOnly?: readonly RealRecord[];
  /** The envelope to write each record in, after it was broken. Default `none`. */
  readonly envelope?: EnvelopeChoice;
}

const RATES: OptionChecks = Object.fromEntries(RATE_NAMES.map((kind) => [kind, requireType('number')]));

const FAULT_OPTIONS: OptionChecks<keyof FaultOptions> = {
  rates: () => undefined,
  seed: () => undefined,
  foreignRecords: (value, name) => {
    if (!Array.isArray(value)) throw new TypeError(`${name} is not an array of records`);
    for (const record of value) requireText(record, `a record in ${name}`);
  },
  foreignOnly: requireKinds(REAL_RECORDS, 'smtp'),
  envelope: requireOneOf(ENVELOPE_CHOICES),
};

/** Consecutive bytes of a log that is broken on purpose. */
export interface BrokenStretch {
  /** Whole groups and clusters; ends in LF. May be kept. */
  readonly bytes: Buffer;
  /** The faults in these bytes, in order. Line numbers count from the first line of the whole log. */
  readonly faults: readonly Fault[];
}

/**
 * Renders requests to a log that is broken on purpose, in stretches of at most 65,536 bytes. A larger group or cluster is a stretch of its
 * own. The same requests, options and deployment give the same bytes. Memory does not depend on the number of requests.
 * @throws TypeError if the rates are missing, for an unknown option or kind, and for batches that are not arrays
 * @throws CallError for a driver that writes no time, without an envelope
 * @throws RangeError for a rate outside 0 to 1, rates above 1 together, a seed that is not a whole number, an empty list of foreign
 *   records, and a request that `formatGroup` would refuse (after the groups before it)
 */
export async function* injectFaults(
  batches: Batches<LogRequest>,
  deployment: Deployment,
  options: FaultOptions,
): AsyncGenerator<BrokenStretch> {
  requireOptions(options, 'options', FAULT_OPTIONS);
  const { rates: given, seed = 1, foreignRecords } = options;
  const foreignOnly = options.foreignOnly && Array.from(options.foreignOnly);
  requireOptions(given, 'options.rates', RATES);
  const wrong = RATE_NAMES.find((kind) => !isShare(given[kind] ?? 0));
  if (wrong !== undefined) throw new RangeError(`the rate of ${wrong} is not from 0 to 1`);
  const rates = fillRates(given);
  if (findExcess(rates) !== undefined) throw new RangeError('the sum of the rates is more than 1; a group has at most one fault');
  if (!Number.isSafeInteger(seed)) throw new RangeError('the seed is not a whole number of at most 15 digits');
  if (foreignRecords?.length === 0) throw new RangeError('options.foreignRecords is empty');
  if (foreignOnly?.length === 0) throw new RangeError('options.foreignOnly is empty');
  if (foreignRecords !== undefined && foreignOnly !== undefined)
    throw new TypeError('options.foreignOnly selects records of the real software; leave it out, or options.foreignRecords');
  const envelope = options.envelope === 'none' ? undefined : options.envelope;
  requireTimed(deployment, envelope);
  const injector = new FaultInjector<LogRequest>({ rates, seed, deployment, envelope, foreignRecords, foreignOnly });
  let groups = 0;
  const pieces = toPieces(batches, { form: 'log', deployment, envelope, breakLog: (whole) => injector.inject(whole) });
  for await (const packet of pack(pieces, () => true)) {
    groups += packet.count();
    yield { bytes: Buffer.from(packet.bytes()), faults: injector.takeFaults(groups) };
  }
}
