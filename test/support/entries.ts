import type { Deprecation, LoadFailure } from '../../src/log/line.js';
import type { Entry } from '../../src/reading/entry.js';
import { OpenGroup, PendingDeprecation } from '../../src/reading/open-group.js';

/** The clocks of these records are so many seconds ahead of UTC where nothing else is said. */
const OFFSET = 7200;

/** The fields of a record that tests vary. */
export interface Varied {
  /** The Unix second. */
  readonly second?: number;
  /** The seconds by which the clock is ahead of UTC. */
  readonly offset?: number;
  readonly method?: string;
  readonly target?: string;
}

/** A load failure of the plugin `/p0`, `/p1`, … whose place it is; that of another place names `/other`. */
export function failureAt(
  line: number,
  place: number,
  { second = 0, offset = OFFSET, method = 'GET', target = '/' }: Varied = {},
): Entry & {
  readonly record: LoadFailure;
} {
  const record: LoadFailure = {
    kind: 'load_failure',
    timestamp: '',
    utcOffset: '+0200',
    runtimeTag: 'PHP',
    pluginFilePath: place < 0 ? '/other' : `/p${String(place)}`,
    pluginLoaderFilePath: '/l',
    lineNumber: 1,
    httpMethod: method,
    requestTarget: target,
    localSecond: second + offset,
    second,
  };
  return { record, line, place };
}

/** A deprecation record. @param place the number of plugins */
export function deprecationAt(line: number, place: number, second = 0): Entry & { readonly record: Deprecation } {
  const record: Deprecation = {
    kind: 'deprecation',
    timestamp: '',
    timezoneName: 'Europe/Warsaw',
    runtimeTag: 'PHP',
    sessionFilePath: '/s',
    lineNumber: 1,
    dialect: 'spec',
    localSecond: second + OFFSET,
  };
  return { record, line, place };
}

/** A deprecation record that means one instant. */
export function pendingAt(line: number, place: number, second = 0): PendingDeprecation {
  const entry = deprecationAt(line, place, second);
  return new PendingDeprecation(entry, entry.record, [second]);
}

/** An open group of load failures. */
export function groupOf(
  [first, ...others]: readonly ReturnType<typeof failureAt>[],
  traits: { readonly isBroken?: boolean; readonly isRepeat?: boolean } = {},
): OpenGroup {
  if (first === undefined) throw new Error('a group has a first record');
  const group = new OpenGroup<Entry>(first, first.record.second, traits);
  for (const failure of [first, ...others]) group.append(failure);
  return group;
}

/** A group of so many records of plugins 0, 1, …, on the lines from one on. */
export function begun(line: number, varied: Varied = {}, records = 1): OpenGroup {
  return groupOf(Array.from({ length: records }, (_, place) => failureAt(line + place, place, varied)));
}
