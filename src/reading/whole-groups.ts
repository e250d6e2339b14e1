import { isFieldText, LF } from '../log/byte-string.js';
import type { Deployment } from '../log/deployment.js';
import { GroupRenderer, type LogRequest } from '../log/group.js';
import type { LogRecord } from '../log/line.js';
import {
  deprecationFields,
  formatDescriptor,
  formatLoadFailure,
  loadFailureFields,
  TIMESTAMP_AT,
  TIMESTAMP_END,
  UTC_OFFSET_END,
  ZONE_AT,
} from '../log/record.js';
import { parseTimestamp, parseUtcOffset, type Stamp } from '../log/timestamp.js';
import type { LoggedRequest } from './logged-request.js';

const OPENING = 0x28;
const CLOSING = 0x29;

/** Where clocks of any zone show a year of four digits, not before 1970: what a renderer can be asked for. */
const FIRST_SECOND = 2 * 86_400;
const LAST_SECOND = Date.UTC(9999, 11, 29) / 1000;

/** The first so many descriptors are known, up to this length: most logs hold few of them, many times. */
const MAX_KNOWN = 4096;
const MAX_KNOWN_LENGTH = 1024;

type Descriptor = Pick<LogRequest, 'method' | 'target'>;

/** A stamp and a descriptor to measure a record with. */
const SAMPLE_STAMP: Stamp = { timestamp: '01-Jan-1970 00:00:00', utcOffset: '+0000' };
const SAMPLE_DESCRIPTOR = formatDescriptor('GET', '/');

/** What a deployment fixes of the records of its groups. */
interface GroupConstants {
  /** In reporting order. */
  readonly failures: readonly ReturnType<typeof loadFailureFields>[];
  readonly deprecation: ReturnType<typeof deprecationFields>;
  readonly recordCount: number;
}

/** A group that stands whole in a block of bytes. */
export interface WholeGroup extends LoggedRequest {
  /** The timestamp as if it were UTC. */
  readonly localSecond: number;
  readonly second: number;
  readonly byteLength: number;
  /** The same for all groups of the deployment. */
  readonly constants: GroupConstants;
}

/** The records of a whole group, in order. */
export function recordsOf(group: WholeGroup): readonly LogRecord[] {
  const { timestamp, utcOffset, method, target, localSecond, second, constants } = group;
  const records: LogRecord[] = [];
  for (const { runtimeTag, pluginFilePath, pluginLoaderFilePath, lineNumber } of constants.failures) {
    records.push({
      kind: 'load_failure',
      timestamp,
      utcOffset,
      runtimeTag,
      pluginFilePath,
      pluginLoaderFilePath,
      lineNumber,
      httpMethod: method,
      requestTarget: target,
      localSecond,
      second,
    });
  }
  const { timezoneName, runtimeTag, sessionFilePath, lineNumber, dialect } = constants.deprecation;
  records.push({
    kind: 'deprecation',
    timestamp,
    timezoneName,
    runtimeTag,
    sessionFilePath,
    lineNumber,
    dialect,
    localSecond,
  });
  return records;
}

/**
 * The lines of the records of a whole group, byte strings without their LFs.
 *
 * @param block the bytes that the group stands in
 * @param at where the group begins in them
 */
export function textsOf({ byteLength }: WholeGroup, block: Buffer, at: number): readonly string[] {
  // The lines are slices of this copy: slices of the block would keep all of it in memory.
  const group = block.toString('latin1', at, at + byteLength);
  const texts: string[] = [];
  for (let from = 0; from < byteLength;) {
    const end = group.indexOf('\n', from);
    texts.push(group.slice(from, end));
    from = end + 1;
  }
  return texts;
}

/**
 * Finds groups that stand in a log just as `GroupRenderer` writes them: reads stamp and descriptor of the first record, has the group
 * of that request rendered, and compares. That is some ten times as fast as reading it record by record, and gives the same.
 */
export class WholeGroups {
  readonly #renderer: GroupRenderer;
  readonly #constants: GroupConstants;
  /** Where the descriptor of the first record stands in it. */
  readonly #descriptorAt: number;
  readonly #descriptors = new Map<string, Descriptor>();
  /** The stamp that was read last: many groups have that of the one before. */
  #stampText = '';
  #stamp: Stamp = { timestamp: '', utcOffset: '' };
  #localSecond = NaN;
  #second = NaN;

  constructor(deployment: Deployment) {
    this.#renderer = new GroupRenderer(deployment);
    const { plugins } = deployment;
    const [plugin = ''] = plugins;
    const first = formatLoadFailure(SAMPLE_STAMP, plugin, SAMPLE_DESCRIPTOR, deployment);
    this.#descriptorAt = first.length - `${SAMPLE_DESCRIPTOR})`.length;
    this.#constants = {
      failures: plugins.map((name) => loadFailureFields(deployment, name)),
      deprecation: deprecationFields(deployment),
      recordCount: plugins.length + 1,
    };
  }

  /**
   * The group that begins at a place, the beginning of a line; undefined if none stands there whole.
   *
   * @param line the physical line of the place
   */
  match(bytes: Buffer, at: number, line: number): WholeGroup | undefined {
    const descriptorAt = at + this.#descriptorAt;
    if (bytes[descriptorAt - 1] !== OPENING) return undefined;
    const end = bytes.indexOf(LF, descriptorAt) - 1;
    if (bytes[end] !== CLOSING || !this.#readStamp(bytes, at)) return undefined;
    const descriptor = this.#readDescriptor(bytes.toString('latin1', descriptorAt, end));
    if (descriptor === undefined) return undefined;
    const { method, target } = descriptor;
    const { timestamp, utcOffset } = this.#stamp;
    const second = this.#second;
    const millisecond = second * 1000;
    const group = this.#renderer.render({ millisecond, method, target });
    const byteLength = group.length;
    if (at + byteLength > bytes.length || bytes.compare(group, 0, byteLength, at, at + byteLength) !== 0) return undefined;
    return {
      line,
      millisecond,
      method,
      target,
      timestamp,
      utcOffset,
      localSecond: this.#localSecond,
      second,
      byteLength,
      constants: this.#constants,
    };
  }

  /** Method and target, if the text is a descriptor that can be rendered. */
  #readDescriptor(text: string): Descriptor | undefined {
    const known = this.#descriptors.get(text);
    if (known !== undefined) return known;
    const space = text.indexOf(' ');
    const method = text.slice(0, Math.max(space, 0));
    const target = text.slice(space + 1);
    if (method === '' || target === '' || !isFieldText(method) || !isFieldText(target)) return undefined;
    const descriptor = { method, target };
    if (text.length <= MAX_KNOWN_LENGTH && this.#descriptors.size < MAX_KNOWN) this.#descriptors.set(text, descriptor);
    return descriptor;
  }

  /** Takes in the stamp of the record at a place; whether it is one that can be rendered. */
  #readStamp(bytes: Buffer, at: number): boolean {
    const text = bytes.toString('latin1', at, at + UTC_OFFSET_END);
    if (text !== this.#stampText) {
      this.#stampText = text;
      this.#localSecond = parseTimestamp(text, TIMESTAMP_AT);
      this.#second = this.#localSecond - parseUtcOffset(text, ZONE_AT);
      this.#stamp = { timestamp: text.slice(TIMESTAMP_AT, TIMESTAMP_END), utcOffset: text.slice(ZONE_AT) };
    }
    return this.#second >= FIRST_SECOND && this.#second <= LAST_SECOND;
  }
}
