import { isUtf8 } from 'node:buffer';
import type { Deployment } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import { stampAt, formatIso } from '../../src/log/timestamp.js';

/** An entry of a fault report, as a reader of the report sees it. */
type Entry = Readonly<{ kind: string; line: number; lines: number; bytes?: number; request: Reported; requests?: Reported[] }> &
  Readonly<Partial<Record<'field' | 'from_base64' | 'to_base64' | 'user' | 'address', string>>> &
  Readonly<Partial<Record<'from' | 'to', string | number>>>;

type Reported = Readonly<{ timestamp: string; method: string; target: string; target_base64?: string }>;

function insist(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`unexplained: ${what}`);
}

/**
 * Explains every line of a broken log by the clean log's requests, no two of them alike, and a fault report, and by nothing else but the
 * bytes of garbage and foreign records. Knows nothing of how faults are made.
 * @throws Error that says what does not fit
 */
export function explainBrokenLog(requests: readonly LogRequest[], deployment: Deployment, log: string, report: string): void {
  const groups = requests.map((request) => linesOf(formatGroup(request, deployment)));
  const seconds = requests.map(({ millisecond }) => Math.floor(millisecond / 1000));
  const instants = seconds.map((second) => formatIso(stampAt(second, deployment)));
  const numbers = new Map(requests.map(({ method, target }, index) => [`${String(instants[index])} ${method} ${target}`, index]));
  insist(numbers.size === requests.length, 'two requests are alike');
  const lines = linesOf(log);
  /** The lines that must stand in the log, by the groups before `group`. */
  const expected: string[] = [];
  let group = 0;
  for (const entry of readEntries(report)) {
    const { kind, line } = entry;
    const number = numbers.get(keyOf(entry.request)) ?? -1;
    insist(number >= group, `no group is left for the request of line ${String(line)}`);
    for (const clean of groups.slice(group, number)) expected.push(...clean);
    const records = groups[number] ?? [];
    const at = line - 1 - expected.length;
    const there = lines.slice(line - 1, line - 1 + entry.lines);
    insist(at >= 0 && there.length === entry.lines, `the lines of ${kind} at line ${String(line)} are there`);
    const { length: size } = records;
    const members = entry.requests ?? [entry.request];
    // The groups that stand before a late one, or mix.
    const others = kind === 'late' ? at / size : members.length - 1;
    group = number + others + 1;
    if (kind === 'late') {
      insist(entry.lines === size && others > 0 && Number.isInteger(others), 'the late group stands behind whole groups');
      insist((seconds[group - 1] ?? 0) > (seconds[number] ?? 0), 'the group before the late one is of a later second');
      for (const before of groups.slice(number + 1, group)) expected.push(...before);
      expected.push(...records);
    } else if (kind === 'interleave') {
      insist(others > 0 && at === 0 && entry.lines === members.length * size, 'the cluster is all of its records');
      const follow = members.every((member, index) => numbers.get(keyOf(member)) === number + index);
      insist(follow, 'groups that follow');
      const mixed = seconds.slice(number, group);
      insist(Math.max(...mixed) - Math.min(...mixed) <= 2, 'the groups are within 2 s');
      explainMix(groups.slice(number, group), there);
      expected.push(...there);
    } else {
      expected.push(...applyTo(records, at, entry, there));
    }
  }
  for (const clean of groups.slice(group)) expected.push(...clean);
  const wrong = lines.findIndex((text, index) => text !== expected[index]);
  insist(wrong === -1, `line ${String(wrong + 1)}: ${String(lines[wrong])} instead of ${String(expected[wrong])}`);
  insist(lines.length === expected.length, `${String(lines.length)} lines instead of ${String(expected.length)}`);
}

/** What a fault within a group makes of its records, by the report. `there`: the lines that the fault names. */
function applyTo(records: readonly string[], at: number, entry: Entry, there: readonly string[]): readonly string[] {
  const { kind, lines: count, bytes = 0 } = entry;
  const [record, next] = records.slice(at);
  const [line = ''] = there;
  if (kind === 'foreign') {
    insist(count >= 1 && at === records.length, 'a foreign record stands behind its group');
    insist(line.startsWith('['), 'a foreign record begins with [');
    return [...records, ...there];
  }
  if (kind === 'garbage') {
    insist(count === 1 && at > 0 && at <= records.length && line.length >= 1 && line.length <= 200, 'a line of 1 to 200 bytes');
    insist(!isUtf8(Buffer.from(line, 'latin1')), 'some byte is not text');
    return records.toSpliced(at, 0, line);
  }
  insist(record !== undefined, 'a line of its group');
  switch (kind) {
    case 'torn': {
      insist(count === 1 && bytes >= 1 && bytes < record.length, 'a byte is kept, and a byte is not');
      const kept = record.slice(0, bytes);
      const joined = kept + (next ?? '');
      return next !== undefined && line === joined ? records.toSpliced(at, 2, joined) : records.toSpliced(at, 1, kept);
    }
    case 'missing':
      insist(count === 0, 'a record is missing');
      return records.toSpliced(at, 1);
    case 'duplicate':
      insist(count === 2, 'a record stands twice');
      return records.toSpliced(at, 0, record);
    case 'swapped':
      insist(count === 2 && next !== undefined, 'two records have changed places');
      return records.toSpliced(at, 2, next, record);
    case 'altered': {
      const [from, to] = [valueOf(entry.from, entry.from_base64), valueOf(entry.to, entry.to_base64)];
      insist(count === 1 && from !== to, 'the value of a record is another one');
      // The value may stand in the record more than once: one of its places has the other value.
      const pieces = record.split(from);
      const altered = pieces
        .slice(1)
        .map((_, index) => pieces.slice(0, index + 1).join(from) + to + pieces.slice(index + 1).join(from));
      insist(altered.includes(line), `${String(entry.field)} is altered from ${from} to ${to} in ${line}`);
      return records.toSpliced(at, 1, line);
    }
    case 'crlf':
      insist(count === 1 || (at === 0 && count === records.length), 'a record, or all of the group');
      return records.map((text, index) => (index >= at && index < at + count ? `${text}\r` : text));
    default:
      throw new Error(`${kind} is not a kind of fault`);
  }
}

/** Each group's records stand in their order, groups begin in their order, and each but the last is begun before those before it have ended. */
function explainMix(groups: readonly (readonly string[])[], lines: readonly string[]): void {
  let states: readonly (readonly number[])[] = [groups.map(() => 0)];
  // Equal records (deprecation records of one second) belong to any of their groups: all ways to read the lines are followed.
  for (const line of lines) {
    const next = new Map<string, readonly number[]>();
    for (const state of states) {
      for (const [index, count] of state.entries()) {
        if (groups[index]?.[count] !== line) continue;
        if (count === 0 && state.some((other, before) => (before < index ? other === 0 : other > 0))) continue;
        const after = state.with(index, count + 1);
        const isApart = after.every((other, place) => other === 0 || other === groups[place]?.length) && after.includes(0);
        if (!isApart) next.set(after.join(), after);
      }
    }
    states = [...next.values()];
    insist(states.length > 0, `a cluster does not have room for ${line}`);
  }
}

const parseEntry: (json: string) => Entry = JSON.parse;

export function readEntries(report: string): readonly Entry[] {
  return linesOf(report).map((line) => parseEntry(line));
}

function linesOf(text: string): readonly string[] {
  insist(text === '' || text.endsWith('\n'), 'the last line is half a line');
  return text.split('\n').slice(0, -1);
}

/** The request that an entry names: its bytes, whether or not they are UTF-8. */
function keyOf({ timestamp, method, target, target_base64 }: Reported): string {
  return `${timestamp} ${method} ${valueOf(target, target_base64)}`;
}

function valueOf(value: string | number | undefined, base64: string | undefined): string {
  if (base64 !== undefined) return Buffer.from(base64, 'base64').toString('latin1');
  return Buffer.from(String(value), 'utf8').toString('latin1');
}
