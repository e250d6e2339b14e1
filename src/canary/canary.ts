import { Readable } from 'node:stream';
import {
  requireKinds,
  requireMax,
  requireOneOf,
  requireOptions,
  requirePositive,
  requireSignal,
  requireText,
  type OptionChecks,
} from '../arguments.js';
import { COMPARISON_OPTIONS, comparisonOf, type ComparisonOptions } from '../compare/options.js';
import { refuseUse, StoppedError } from '../errors.js';
import { PathFollower, StreamFollower } from '../input/follower.js';
import { driverIn, ENVELOPES, requireTimed, type EnvelopeName } from '../envelope/envelopes.js';
import { createDeployment, requireDeployment, type Deployment } from '../log/deployment.js';
import { refuseReadAddress } from '../output/address.js';
import { openDestination } from '../output/open-destination.js';
import type { Arrivals } from '../requests/synth/arrivals.js';
import type { Profile } from '../requests/synth/traffic.js';
import { SYNTHESIZE_OPTIONS } from '../requests/synth/synthesize.js';
import { OBSERVED_TARGETS, type TargetShare } from '../requests/synth/weighted-targets.js';
import { namesOf } from '../wording.js';
import { CANARY_KINDS, DEFAULT_LATE_MS, type CanaryFinding, type CanaryKind, type CanarySnapshot } from './findings.js';
import { newRunName, requireRunName } from './mark.js';
import { CanaryRun } from './run.js';

/** Options of `canary`: those of the command `canary`. */
export interface CanaryOptions extends ComparisonOptions {
  /** The file to append to. */
  readonly log: string;
  /** The files that the log arrives in, which are followed from their ends on, or streams. One at least. */
  readonly received: readonly (string | Readable)[];
  /** Requests a second, on average. Default 1. */
  readonly rate?: number;
  /** The length of the traffic in milliseconds. Default: until the signal is aborted. */
  readonly duration?: number;
  /** Milliseconds after which an outstanding record is missing. Default 30,000. */
  readonly late?: number;
  /** The name of the run in its marks: letters, digits and `._~-`. Default: a new one. */
  readonly run?: string;
  /** Findings of these kinds are counted and not given: an array, or a Set. */
  readonly allow?: Iterable<CanaryKind>;
  /** Findings that are given in a minute at most; all are counted. Default: no limit. */
  readonly max?: number;
  /** `flat`: the same traffic at all hours (the default). `office`: more on working days than at night. */
  readonly profile?: Profile;
  /** The way in which requests follow one another. Default `poisson`: as independent users come. */
  readonly arrivals?: Arrivals;
  /** The targets to draw from; at least one has a weight above 0. Default: the twelve of section 2.4. */
  readonly targets?: readonly TargetShare[];
  /** The deployment that writes the log. Default: that of the specification, `createDeployment()`. */
  readonly deployment?: Deployment;
  /** The envelope to write records in. Default: none. What was received is taken out of its envelopes, whatever they are. */
  readonly envelope?: EnvelopeName;
  /** Ends the traffic: what was written is waited for as ever. */
  readonly signal?: AbortSignal;
}

/** A canary: what it finds, and its numbers. */
export interface Canary {
  /** Batches of findings as they are known. The canary runs from the first request for them to their end; it ends at once if they are left. */
  readonly findings: AsyncIterable<readonly CanaryFinding[]>;
  /** The numbers at present. */
  readonly snapshot: () => CanarySnapshot;
}

const CANARY_OPTIONS: OptionChecks<keyof CanaryOptions> = {
  ...COMPARISON_OPTIONS,
  log: requireText,
  received: (value, name) => {
    const isInput = (input: unknown): boolean => typeof input === 'string' || input instanceof Readable;
    if (!Array.isArray(value) || value.length === 0 || !value.every(isInput))
      throw new TypeError(`${name} is not an array of files and streams; give one such as ['received.log']`);
  },
  rate: SYNTHESIZE_OPTIONS.rate,
  duration: SYNTHESIZE_OPTIONS.duration,
  late: requirePositive,
  run: requireText,
  allow: requireKinds(CANARY_KINDS, 'late'),
  max: requireMax,
  profile: SYNTHESIZE_OPTIONS.profile,
  arrivals: SYNTHESIZE_OPTIONS.arrivals,
  targets: SYNTHESIZE_OPTIONS.targets,
  deployment: () => undefined,
  envelope: requireOneOf(namesOf(ENVELOPES)),
  signal: requireSignal,
};

/**
 * Writes live traffic to a log, follows what a pipeline delivers, and tells at once what was lost, duplicated, altered, late or out of order.
 * At its end everything that was sent is delivered, missing or altered.
 *
 * @throws TypeError if an option is unknown, or of a wrong type; DeploymentError for a deployment that is not complete
 * @throws CallError for the name of a run that cannot stand in a target, a driver without an envelope, and an address in place of a received file; the findings throw one if the log cannot be written or what is received cannot be read
 */
export function canary(options: CanaryOptions): Canary {
  requireOptions(options, 'options', CANARY_OPTIONS);
  // Required, so checked where they are left out too.
  const { log, received }: Partial<CanaryOptions> = options;
  CANARY_OPTIONS.log(log, 'options.log');
  CANARY_OPTIONS.received(received, 'options.received');
  const { envelope } = options;
  const { deployment = createDeployment({ driver: driverIn(envelope) }), run = newRunName() } = options;
  requireDeployment(deployment);
  requireTimed(deployment, envelope);
  requireRunName('options.run', run);
  requireMarkCompared(options);
  for (const input of received) if (typeof input === 'string') refuseReadAddress(input);
  const { late = DEFAULT_LATE_MS, rate = 1, profile = 'flat', arrivals = 'poisson', targets = OBSERVED_TARGETS } = options;
  const watched = new CanaryRun({ ...options, deployment, run, late, rate, profile, arrivals, targets });
  const readFindings = async function* (): AsyncGenerator<readonly CanaryFinding[]> {
    const never = new AbortController().signal;
    const { signal = never } = options;
    const inputs = received.map((input) =>
      typeof input === 'string' ? new PathFollower(input, 'end') : new StreamFollower(input, '<stream>'),
    );
    const file = {
      usedFiles: [],
      noun: 'group',
      signal: never,
      socket: { reconnects: true },
      warn: () => undefined,
      followsPath: true,
    };
    const output = await openDestination(log, file);
    try {
      yield* watched.watch({ output, inputs, signal });
      output.close();
    } catch (error) {
      output.close(error);
      // The number of groups that were written is that of the snapshot.
      throw error instanceof StoppedError ? error.cause : error;
    } finally {
      for (const input of inputs) input.close();
    }
  };
  return { findings: readFindings(), snapshot: watched.snapshot };
}

/** Checks that the field that carries the marks is compared. @throws CallError */
export function requireMarkCompared(options: ComparisonOptions): void {
  const comparison = comparisonOf(options);
  if (comparison.as === 'fields' && !comparison.fields.has('request_target'))
    throw refuseUse('fields', 'the target, which carries the mark, is not named', 'add request_target=path');
}
