import { ByteTemplates, type Blank } from './byte-templates.js';
import { requireDeployment, type Deployment } from './deployment.js';
import { deprecationFields, joinDeprecation, joinLoadFailure, loadFailureFields, requireDescriptor } from './record.js';
import { formatTimestamp, formatUtcOffset, stampAt } from './timestamp.js';
import { zoneNamed, type Zone } from './zone.js';

/** A request to log. */
export interface LogRequest {
  /** Unix time in whole milliseconds. Records show its second. */
  readonly millisecond: number;
  /** `<http_method>` (2.1). */
  readonly method: string;
  /** `<request_target>` (2.4), a byte string: `encodeText` converts any text. */
  readonly target: string;
  /** The physical line (from 1) in the list that the request comes from, if any. */
  readonly line?: number;
  /** The file of that line, where the list is several files. */
  readonly source?: string;
}

/** Requests (or other values) in the batches in which they arrived; an array of arrays, for example. */
export type Batches<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>;

/**
 * Formats the group of a request (1.1, 6): a load failure for each plugin in reporting order, then the deprecation record
 * unless the deployment has none. The group is a byte string; every record ends in LF.
 * @throws RangeError on a method or target that could forge a record, and on a time that a record cannot show
 * @throws TypeError that names a missing or mistyped field of the request; DeploymentError for a field of the deployment
 */
export function formatGroup(request: LogRequest, deployment: Deployment): string {
  const { method, target } = request;
  const second = secondOf(request);
  requireDescriptor(method, target);
  requireDeployment(deployment);
  const { timestamp, utcOffset } = stampAt(second, deployment);
  return formatRecords([timestamp, utcOffset, '', '', method, target], deployment).join('');
}

function secondOf({ millisecond }: LogRequest): number {
  if (typeof millisecond !== 'number') throw new TypeError('millisecond is not a number; give Unix time in milliseconds');
  return Math.floor(millisecond / 1000);
}

export function recordCountOf({ plugins, deprecation }: Pick<Deployment, 'plugins' | 'deprecation'>): number {
  return plugins.length + (deprecation ? 1 : 0);
}

function formatRecords(values: readonly string[], deployment: Deployment): readonly string[] {
  const [timestamp = '', utcOffset = '', sessionId, , httpMethod = '', requestTarget = ''] = values;
  const ofRequest = { timestamp, utcOffset, httpMethod, requestTarget, ...(sessionId !== '' && { sessionId }) };
  const records = deployment.plugins.map((plugin) => joinLoadFailure({ ...loadFailureFields(deployment, plugin), ...ofRequest }));
  if (deployment.deprecation) records.push(joinDeprecation({ ...deprecationFields(deployment), timestamp }));
  return records.map((record) => `${record}\n`);
}

/** An envelope around the records of a group. */
export interface GroupEnvelope {
  timeOf(millisecond: number): string;
  /** Gives a method or a target as it stands inside. */
  escape(field: string): string;
  wrapText(text: string, time: string): string;
}

/** Timestamp, UTC offset, session id, time of the envelope, method, target. */
const BLANKS: readonly Blank[] = [['18-May-2025 10:20:30', '29-Jun-3136 21:31:41'], ['+0200', '-1130'], 'sS', 'eE', 'mM', 'tT'];
const TIME_AT = 3;
const METHOD_AT = 4;
const TARGET_AT = 5;

/** Groups with longer methods or session ids have no template. */
const MAX_LENGTH = 1 << 7;

/** Renders groups to the same bytes as `formatGroup`, but faster: templates are patched. */
export class GroupRenderer {
  readonly #zone: Zone;
  readonly #templates = new ByteTemplates(BLANKS);
  #envelope: GroupEnvelope | undefined;
  #second = NaN;
  #timestamp = '';
  #offset = NaN;
  #utcOffset = '';

  /** @throws DeploymentError where `formatGroup` would */
  constructor(private readonly deployment: Deployment) {
    requireDeployment(deployment);
    this.#zone = zoneNamed(deployment.timezone);
  }

  /** @internal */
  static inEnvelope(deployment: Deployment, envelope: GroupEnvelope | undefined): GroupRenderer {
    const renderer = new GroupRenderer(deployment);
    renderer.#envelope = envelope;
    return renderer;
  }

  /**
   * Renders the group of a request, to bytes that are valid until the next call. @param sessionId is shown by all load failures; empty
   * for none @throws RangeError and TypeError where `formatGroup` would
   */
  render(request: LogRequest, sessionId = ''): Uint8Array {
    const { millisecond, method, target } = request;
    const second = secondOf(request);
    if (typeof method !== 'string' || typeof target !== 'string') requireDescriptor(method, target);
    if (second !== this.#second) this.#setStamp(second);
    const envelope = this.#envelope;
    const time = envelope?.timeOf(millisecond) ?? '';
    const shownMethod = envelope?.escape(method) ?? method;
    const shownTarget = envelope?.escape(target) ?? target;
    const values = [this.#timestamp, this.#utcOffset, sessionId, time, shownMethod, shownTarget];
    const isTooLong = sessionId.length >= MAX_LENGTH || shownMethod.length >= MAX_LENGTH;
    // In this order most lengths are small, which makes them fast as keys.
    const lengths =
      ((shownTarget.length * MAX_LENGTH + shownMethod.length) * MAX_LENGTH + time.length) * MAX_LENGTH + sessionId.length;
    const template = isTooLong ? undefined : this.#templates.find(lengths, values, this.#formatWhole);
    // A template shows what was checked already.
    if (template?.shows(METHOD_AT, shownMethod) !== true || !template.shows(TARGET_AT, shownTarget))
      requireDescriptor(method, target);
    if (template !== undefined) return template.render(values);
    return Buffer.from(this.#format(values.with(METHOD_AT, method).with(TARGET_AT, target)).join(''), 'latin1');
  }

  #setStamp(second: number): void {
    const offset = this.#zone.offsetAt(second);
    this.#timestamp = formatTimestamp(second, offset);
    if (offset !== this.#offset) this.#utcOffset = formatUtcOffset(offset);
    this.#offset = offset;
    this.#second = second;
  }

  #format(values: readonly string[]): readonly string[] {
    return formatRecords(values, this.deployment).map(
      (record) => this.#envelope?.wrapText(record, values[TIME_AT] ?? '') ?? record,
    );
  }

  /** Undefined for records in pieces: the length of an escaped record does not tell them. */
  readonly #formatWhole = (samples: readonly string[]): readonly string[] | undefined => {
    const records = this.#format(samples);
    return records.some((record) => record.indexOf('\n') < record.length - 1) ? undefined : records;
  };
}
