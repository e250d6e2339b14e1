import { ByteTemplates, type Blank, type ByteTemplate } from './byte-templates.js';
import { requireDeployment, type Deployment } from './deployment.js';
import { deprecationFields, joinDeprecation, joinLoadFailure, loadFailureFields, requireFields, requireTexts } from './record.js';
import { formatTimestamp, formatUtcOffset, MinuteText, stampAt, type Stamp } from './timestamp.js';
import { zoneNamed, type Zone } from './zone.js';

/** A request to log. */
export interface LogRequest {
  /** The time of the request: Unix time in whole milliseconds. Records show its second. */
  readonly millisecond: number;
  /** `<http_method>` (2.1). */
  readonly method: string;
  /** `<request_target>` (2.4), a byte string: each character stands for one byte. `encodeText` converts any text. */
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
  requireRequest(request);
  requireDeployment(deployment);
  const { millisecond, method, target } = request;
  requireFields(method, target);
  return formatRecords(stampAt(Math.floor(millisecond / 1000), deployment), method, target, deployment).join('');
}

function requireRequest({ millisecond, method, target }: LogRequest): void {
  if (typeof millisecond !== 'number') throw new TypeError('millisecond is not a number; give Unix time in milliseconds');
  requireTexts(method, target);
}

export function recordCountOf({ plugins, deprecation }: Pick<Deployment, 'plugins' | 'deprecation'>): number {
  return plugins.length + (deprecation ? 1 : 0);
}

function formatRecords(
  { timestamp, utcOffset }: Stamp,
  httpMethod = '',
  requestTarget = '',
  deployment: Deployment,
  sessionId = '',
): readonly string[] {
  const ofRequest = { timestamp, utcOffset, httpMethod, requestTarget, ...(sessionId !== '' && { sessionId }) };
  const records = deployment.plugins.map((plugin) => joinLoadFailure({ ...loadFailureFields(deployment, plugin), ...ofRequest }));
  if (deployment.deprecation) records.push(joinDeprecation({ timestamp, ...deprecationFields(deployment) }));
  return records.map((record) => `${record}\n`);
}

/** An envelope around the records of a group. */
export interface GroupEnvelope {
  timeOf(millisecond: number): string;
  /** The bytes of a method or a target inside. */
  escape(field: string): string;
  wrapText(text: string, time: string): string;
}

/** Timestamp, UTC offset, session id, time of the envelope, method, target. */
const BLANKS: readonly Blank[] = [
  { samples: ['18-May-2025 10:20:30', '29-Jun-3136 21:31:41'] },
  { samples: ['+0200', '-1130'] },
  { samples: ['s', 'S'] },
  { samples: ['e', 'E'] },
  { samples: ['m', 'M'] },
  { samples: ['t', 'T'] },
];
const METHOD_AT = 4;
const TARGET_AT = 5;

/** More than the length of any time; groups with longer methods or session ids have no template. */
const MAX_LENGTH = 1 << 7;

/** Renders groups to the same bytes as `formatGroup`, but faster: a template for each length of a descriptor is patched. */
export class GroupRenderer {
  readonly #deployment: Deployment;
  readonly #zone: Zone;
  readonly #templates: ByteTemplates;
  readonly #timestamps = new MinuteText(formatTimestamp);
  #timestamp = '';
  #utcOffset = '';
  #envelope: GroupEnvelope | undefined;
  #second = NaN;
  #offset = NaN;

  /** @throws DeploymentError where `formatGroup` would */
  constructor(deployment: Deployment) {
    requireDeployment(deployment);
    this.#deployment = deployment;
    this.#zone = zoneNamed(deployment.timezone);
    this.#templates = new ByteTemplates(BLANKS, ([timestamp = '', utcOffset = '', sessionId, time = '', method, target]) => {
      const records = formatRecords({ timestamp, utcOffset }, method, target, deployment, sessionId);
      const texts = records.map((record) => this.#wrap(record, time));
      // The length of an escaped record does not tell its pieces.
      return texts.some((text) => text.indexOf('\n') < text.length - 1) ? undefined : texts;
    });
  }

  /** Makes the renderer of groups in an envelope. @internal */
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
    requireRequest(request);
    const { millisecond, method, target } = request;
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#setStamp(second);
    const time = this.#envelope?.timeOf(millisecond) ?? '';
    const shownMethod = this.#envelope?.escape(method) ?? method;
    const shownTarget = this.#envelope?.escape(target) ?? target;
    const template = this.#find(sessionId, time, shownMethod, shownTarget);
    // A template shows what was checked already.
    if (template?.shows(TARGET_AT, shownTarget) !== true || !template.shows(METHOD_AT, shownMethod)) {
      requireFields(method, target);
      template?.set(METHOD_AT, shownMethod);
      template?.set(TARGET_AT, shownTarget);
    }
    if (template === undefined) {
      const stamp = { timestamp: this.#timestamp, utcOffset: this.#utcOffset };
      const group = formatRecords(stamp, method, target, this.#deployment, sessionId).join('');
      return Buffer.from(this.#wrap(group, time), 'latin1');
    }
    template.set(0, this.#timestamp);
    template.set(1, this.#utcOffset);
    template.set(2, sessionId);
    template.set(3, time);
    return template.bytes;
  }

  #setStamp(second: number): void {
    const offset = this.#zone.offsetAt(second);
    this.#timestamp = this.#timestamps.format(second, offset);
    if (offset !== this.#offset) this.#utcOffset = formatUtcOffset(offset);
    this.#offset = offset;
    this.#second = second;
  }

  #find(sessionId: string, time: string, method: string, target: string): ByteTemplate | undefined {
    if (sessionId.length >= MAX_LENGTH || method.length >= MAX_LENGTH) return undefined;
    // In this order most are small, which makes them fast as keys.
    const lengths = ((target.length * MAX_LENGTH + method.length) * MAX_LENGTH + time.length) * MAX_LENGTH + sessionId.length;
    const known = this.#templates.get(lengths);
    return known ?? this.#templates.find(lengths, [this.#timestamp, this.#utcOffset, sessionId, time, method, target]);
  }

  #wrap(text: string, time: string): string {
    return this.#envelope?.wrapText(text, time) ?? text;
  }
}
