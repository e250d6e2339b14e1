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
import { driverIn, ENVELOPES, requireTimed, type EnvelopeName } from '../envelope/envelopes.js';
import { refuseUse } from '../errors.js';
import { createDeployment, requireDeployment, type Deployment } from '../log/deployment.js';
import { refuseReadAddress } from '../output/address.js';
import type { Arrivals } from '../requests/synth/arrivals.js';
import { SYNTHESIZE_OPTIONS } from '../requests/synth/synthesize.js';
import type { Profile } from '../requests/synth/traffic.js';
import { OBSERVED_TARGETS, type TargetShare } from '../requests/synth/weighted-targets.js';
import { namesOf } from '../wording.js';
import { CANARY_KINDS, DEFAULT_LATE_MS, type CanaryKind } from './findings.js';
import { newRunName, requireRunName } from './mark.js';

/** Options of `canary`: those of the command `canary`. */
export interface CanaryOptions extends ComparisonOptions {
  /** The file to append to. */
  readonly log: string;
  /** The files that the log arrives in, which are followed from their ends on, or streams. One at least. */
  readonly received: readonly (string | Readable)[];
  /** Requests a second, on average. Default 1. */
  readonly rate?: number;
  /** The length of the traffic in milliseconds. Default: until the signal is aborted. */
  readonly duration?: number | undefined;
  /** Milliseconds after which an outstanding record is missing. Default 30,000. */
  readonly late?: number;
  /** The name of the run in its marks: letters, digits and `._~-`. Default: a new one. */
  readonly run?: string;
  /** Findings of these kinds are counted and not given: an array, or a Set. */
  readonly allow?: Iterable<CanaryKind> | undefined;
  /** Findings that are given in a minute at most; all are counted. Default: no limit. */
  readonly max?: number | undefined;
  /** `flat`: the same traffic at all hours (the default). `office`: more on working days than at night. */
  readonly profile?: Profile;
  /** The way in which requests follow one another. Default `poisson`: as independent users come. */
  readonly arrivals?: Arrivals;
  /** The targets to draw from; at least one has a weight above 0. Default: the twelve of section 2.4. */
  readonly targets?: readonly TargetShare[];
  /** The deployment that writes the log. Default: that of the specification, `createDeployment()`. */
  readonly deployment?: Deployment;
  /** The envelope to write records in. Default: none. What was received is taken out of its envelopes, whatever they are. */
  readonly envelope?: EnvelopeName | undefined;
  /** Ends the traffic: what was written is waited for as ever. */
  readonly signal?: AbortSignal;
}

type Defaulted = 'rate' | 'late' | 'run' | 'profile' | 'arrivals' | 'targets' | 'deployment';

/** The options of a run, with their defaults. */
export type CanarySettings = Omit<CanaryOptions, 'log' | 'received' | 'signal'> &
  Required<Pick<CanaryOptions, Defaulted>> & { readonly onLatency?: ((ms: number) => void) | undefined };

const { rate, duration, profile, arrivals, targets } = SYNTHESIZE_OPTIONS;

const CANARY_OPTIONS: OptionChecks<keyof CanaryOptions> = {
  ...COMPARISON_OPTIONS,
  ...{ rate, duration, profile, arrivals, targets },
  log: requireText,
  received: (value, name) => {
    const isInput = (input: unknown): boolean => typeof input === 'string' || input instanceof Readable;
    if (!Array.isArray(value) || value.length === 0 || !value.every(isInput))
      throw new TypeError(`${name} is not an array of files and streams; give one such as ['received.log']`);
  },
  late: requirePositive,
  run: requireText,
  allow: requireKinds(CANARY_KINDS, 'late'),
  max: requireMax,
  deployment: () => undefined,
  envelope: requireOneOf(namesOf(ENVELOPES)),
  signal: requireSignal,
};

export function settingsOf(options: CanaryOptions): CanarySettings {
  requireOptions(options, 'options', CANARY_OPTIONS);
  // Required, so checked where they are left out too.
  const { log, received, envelope }: Partial<CanaryOptions> = options;
  CANARY_OPTIONS.log(log, 'options.log');
  CANARY_OPTIONS.received(received, 'options.received');
  const { deployment = createDeployment({ driver: driverIn(envelope) }), run = newRunName() } = options;
  requireDeployment(deployment);
  requireTimed(deployment, envelope);
  requireRunName('options.run', run);
  requireMarkCompared(options);
  for (const input of options.received) if (typeof input === 'string') refuseReadAddress(input);
  const defaults = { late: DEFAULT_LATE_MS, rate: 1, targets: OBSERVED_TARGETS } as const;
  return { ...defaults, profile: 'flat', arrivals: 'poisson', ...options, deployment, run };
}

/** Checks that the field that carries the marks is compared. @throws CallError */
export function requireMarkCompared(options: ComparisonOptions): void {
  const comparison = comparisonOf(options);
  if (comparison.as === 'fields' && !comparison.fields.has('request_target'))
    throw refuseUse('fields', 'the target, which carries the mark, is not named', 'add request_target=path');
}
