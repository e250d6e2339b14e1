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
 *
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

/** Refuses an object that is not a request: callers without types may pass anything. @throws TypeError that names the field */
function requireRequest({ millisecond, method, target }: LogRequest): void {
  if (typeof millisecond !== 'number') throw new TypeError('millisecond is not a number; give Unix time in milliseconds');
  requireTexts(method, target);
}

/** The number of records of a group. */
export function recordCountOf({ plugins, deprecation }: Pick<Deployment, 'plugins' | 'deprecation'>): number {
  return plugins.length + (deprecation ? 1 : 0);
}

/** The records of a group, each ended by an LF. */
function formatRecords(
  { timestamp, utcOffset }: Stamp,
  httpMethod: string,
  requestTarget: string,
  deployment: Deployment,
  sessionId = '',
): readonly string[] {
  const ofRequest = { timestamp, utcOffset, httpMethod, requestTarget, ...(sessionId !== '' && { sessionId }) };
  const records = deployment.plugins.map((plugin) => joinLoadFailure({ ...loadFailureFields(deployment, plugin), ...ofRequest }));
  if (deployment.deprecation) records.push(joinDeprecation({ timestamp, ...deprecationFields(deployment) }));
  return records.map((record) => `${record}\n`);
}

/** What is put around the records of a group, such as that of a container's log. */
export interface GroupEnvelope {
  /** The time of a moment. */
  timeOf(millisecond: number): string;
  /** The bytes of a field inside. */
  escape(field: string): string;
  /** Puts each line of a text in the envelope. */
  wrapText(text: string, time: string): string;
}

/** The values in which groups of a deployment differ: timestamp, UTC offset, session id, time of the envelope, method, target. */
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

/** Renders groups to the same bytes as `formatGroup`, but faster; also in an envelope. */
export class GroupTemplates {
  readonly #deployment: Deployment;
  readonly #envelope: GroupEnvelope | undefined;
  readonly #zone: Zone;
  readonly #templates: ByteTemplates;
  readonly #timestamps = new MinuteText(formatTimestamp);
  readonly #values = ['', '', '', '', '', ''];
  #second = NaN;
  #offset = NaN;

  /** @throws DeploymentError where `formatGroup` would */
  constructor(deployment: Deployment, envelope?: GroupEnvelope) {
    requireDeployment(deployment);
    this.#deployment = deployment;
    this.#envelope = envelope;
    this.#zone = zoneNamed(deployment.timezone);
    this.#templates = new ByteTemplates(
      BLANKS,
      ([timestamp = '', utcOffset = '', sessionId, time = '', method = '', target = '']) => {
        const records = formatRecords({ timestamp, utcOffset }, method, target, deployment, sessionId);
        const texts = records.map((record) => envelope?.wrapText(record, time) ?? record);
        // The length of an escaped record does not tell its pieces.
        return texts.some((text) => text.indexOf('\n') < text.length - 1) ? undefined : texts;
      },
    );
  }

  /** Renders the group of a request. @returns bytes that are valid until the next call @throws what `formatGroup` throws */
  render(request: LogRequest, sessionId = ''): Uint8Array {
    requireRequest(request);
    const { millisecond, method, target } = request;
    const values = this.#values;
    const second = Math.floor(millisecond / 1000);
    if (second !== this.#second) this.#setStamp(second);
    values[METHOD_AT] = this.#envelope?.escape(method) ?? method;
    values[TARGET_AT] = this.#envelope?.escape(target) ?? target;
    const time = this.#envelope?.timeOf(millisecond) ?? '';
    values[2] = sessionId;
    values[3] = time;
    const template = this.#find(values, time.length, sessionId.length);
    // A template shows what was checked already.
    if (template?.shows(TARGET_AT, values) !== true || !template.shows(METHOD_AT, values)) requireFields(method, target);
    if (template !== undefined) return template.render(values);
    const [timestamp = '', utcOffset = ''] = values;
    const group = formatRecords({ timestamp, utcOffset }, method, target, this.#deployment, sessionId).join('');
    return Buffer.from(this.#envelope?.wrapText(group, time) ?? group, 'latin1');
  }

  #setStamp(second: number): void {
    const offset = this.#zone.offsetAt(second);
    this.#values[0] = this.#timestamps.format(second, offset);
    if (offset !== this.#offset) this.#values[1] = formatUtcOffset(offset);
    this.#offset = offset;
    this.#second = second;
  }

  #find(values: readonly string[], timeLength: number, sessionLength: number): ByteTemplate | undefined {
    const methodLength = values[METHOD_AT]?.length ?? 0;
    const targetLength = values[TARGET_AT]?.length ?? 0;
    if (sessionLength >= MAX_LENGTH || methodLength >= MAX_LENGTH) return undefined;
    // In this order most are small, which makes them fast as keys.
    const lengths = ((targetLength * MAX_LENGTH + methodLength) * MAX_LENGTH + timeLength) * MAX_LENGTH + sessionLength;
    return this.#templates.find(lengths, values);
  }
}

/**
 * Renders groups to the same bytes as `formatGroup`, but faster: a template for each length of a descriptor is patched, and stamps are
 * formatted once a minute.
 */
export class GroupRenderer {
  readonly #templates: GroupTemplates;

  /** @throws DeploymentError where `formatGroup` would */
  constructor(deployment: Deployment) {
    this.#templates = new GroupTemplates(deployment);
  }

  /**
   * Renders the group of a request.
   *
   * @param sessionId is shown by all load failures; empty for none
   * @returns bytes that are valid until the next call
   * @throws RangeError and TypeError where `formatGroup` would
   */
  render(request: LogRequest, sessionId = ''): Uint8Array {
    return this.#templates.render(request, sessionId);
  }
}
