import { isUtf8 } from 'node:buffer';
import type { Deployment } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import { stampAt, formatIso } from '../../src/log/timestamp.js';

/** An entry of a fault report, as a reader of the report sees it. */
interface Entry {
  readonly kind: string;
  readonly line: number;
  readonly lines: number;
  readonly request: ReportedRequest;
  readonly bytes?: number;
  readonly field?: string;
  readonly from?: string | number;
  readonly from_base64?: string;
  readonly to?: string | number;
  readonly to_base64?: string;
  readonly requests?: readonly ReportedRequest[];
  readonly user?: string;
  readonly address?: string;
}

interface ReportedRequest {
  readonly timestamp: string;
  readonly method: string;
  readonly target: string;
  readonly target_base64?: string;
}

/** A fault and the clean groups that it is made of must give what stands in the log; else this says what does not fit. */
export class Unexplained extends Error {}

function insist(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Unexplained(what);
}

/**
 * Explains every line of a broken log by the clean log's requests, no two of them alike, and a fault report, and by nothing else but the
 * bytes of garbage and foreign records. Knows nothing of how faults are made.
 *
 * @throws Unexplained
 */
export function explainBrokenLog(requests: readonly LogRequest[], deployment: Deployment, log: string, report: string): void {
  const groups = requests.map((request) => formatGroup(request, deployment).slice(0, -1).split('\n'));
  const numbers = new Map(requests.map((request, index) => [keyOf(shown(request, deployment)), index]));
  insist(numbers.size === requests.length, 'two requests are alike');
  insist(log === '' || log.endsWith('\n'), 'the log ends in half a line');
  const lines = log === '' ? [] : log.slice(0, -1).split('\n');
  const entries = readEntries(report);
  let group = 0;
  let line = 0;
  const expect = (expected: readonly string[], what: string): void => {
    for (const text of expected) {
      insist(lines[line] === text, `line ${String(line + 1)}: ${what}: ${String(lines[line])} instead of ${text}`);
      line += 1;
    }
  };
  for (const entry of entries) {
    const number = numbers.get(keyOf(entry.request));
    insist(number !== undefined && number >= group, `no group is left for the request of line ${String(entry.line)}`);
    for (; group < number; group += 1) expect(groups[group] ?? [], 'a group that is not hit');
    const size = groups[number]?.length ?? 0;
    if (entry.kind === 'late') {
      const at = entry.line - 1 - line;
      insist(entry.lines === size && at > 0 && at % size === 0, 'the late group stands behind whole groups');
      const before = at / size;
      const second = (index: number): number => Math.floor((requests[index]?.millisecond ?? NaN) / 1000);
      insist(second(number + before) > second(number), 'the group before the late one is of a later second');
      for (let later = 1; later <= before; later += 1) expect(groups[number + later] ?? [], 'a group before the late one');
      expect(groups[number] ?? [], 'the late group');
      group += before + 1;
    } else if (entry.kind === 'interleave') {
      const members = entry.requests ?? [];
      insist(members.length > 1, 'more than one group mixes');
      insist(entry.line === line + 1 && entry.lines === members.length * size, 'the cluster is all of its records');
      for (const [index, member] of members.entries())
        insist(numbers.get(keyOf(member)) === number + index, 'groups that follow');
      const mixed = groups.slice(number, number + members.length);
      explainMix(mixed, lines.slice(line, line + entry.lines));
      const seconds = requests.slice(number, number + members.length).map((request) => Math.floor(request.millisecond / 1000));
      insist(Math.max(...seconds) - Math.min(...seconds) <= 2, 'the groups are within 2 s');
      line += entry.lines;
      group += members.length;
    } else {
      const at = entry.line - 1 - line;
      const records = groups[number] ?? [];
      insist(at >= 0 && at + entry.lines <= records.length + (EXTRA_LINES[entry.kind] ?? entry.lines), 'a line of its group');
      expect(applyTo(records, at, entry, lines.slice(entry.line - 1, entry.line - 1 + entry.lines)), entry.kind);
      group += 1;
    }
  }
  for (; group < groups.length; group += 1) expect(groups[group] ?? [], 'a group that is not hit');
  insist(line === lines.length, `line ${String(line + 1)} is one too many`);
}

/** How many lines more than its records a group has, where that is not the number of lines of the fault. */
const EXTRA_LINES: Readonly<Record<string, number>> = { torn: 0, missing: 0, duplicate: 1, swapped: 0, altered: 0, crlf: 0 };

/** What a fault within a group makes of its records, by the report. `there`: the lines that the fault names. */
function applyTo(records: readonly string[], at: number, entry: Entry, there: readonly string[]): readonly string[] {
  const [record = '', next] = records.slice(at);
  const [line = ''] = there;
  const put = (count: number, ...lines: readonly string[]): readonly string[] => [
    ...records.slice(0, at),
    ...lines,
    ...records.slice(at + count),
  ];
  insist(there.length === entry.lines, 'the log has the lines that the report names');
  switch (entry.kind) {
    case 'torn': {
      const { bytes = 0 } = entry;
      insist(entry.lines === 1 && bytes >= 1 && bytes < record.length, 'a byte is kept, and a byte is not');
      const kept = record.slice(0, bytes);
      return next !== undefined && line === kept + next ? put(2, kept + next) : put(1, kept);
    }
    case 'missing':
      insist(entry.lines === 0 && at < records.length, 'a record is missing');
      return put(1);
    case 'duplicate':
      insist(entry.lines === 2 && at < records.length, 'a record stands twice');
      return put(1, record, record);
    case 'swapped':
      insist(entry.lines === 2 && next !== undefined, 'two records have changed places');
      return put(2, next, record);
    case 'altered': {
      insist(entry.lines === 1, 'a record is altered');
      const [from, to] = [valueOf(entry.from, entry.from_base64), valueOf(entry.to, entry.to_base64)];
      insist(from !== to, 'the value is another one');
      // The value may stand in the record more than once: one of its places has the other value.
      const altered: string[] = [];
      for (let place = record.indexOf(from); place !== -1; place = record.indexOf(from, place + 1)) {
        altered.push(record.slice(0, place) + to + record.slice(place + from.length));
      }
      insist(altered.includes(line), `${String(entry.field)} is altered from ${from} to ${to} in ${line}`);
      return put(1, line);
    }
    case 'foreign':
      insist(entry.lines >= 1 && at === records.length, 'a foreign record stands behind its group');
      insist(there[0]?.startsWith('[') === true, 'a foreign record begins with [');
      return put(0, ...there);
    case 'garbage':
      insist(entry.lines === 1 && at > 0 && line.length >= 1 && line.length <= 200, 'a line of 1 to 200 bytes');
      insist(!isUtf8(Buffer.from(line, 'latin1')), 'some byte is not text');
      return put(0, line);
    case 'crlf':
      insist(entry.lines === 1 || (at === 0 && entry.lines === records.length), 'a record, or all of the group');
      return put(entry.lines, ...records.slice(at, at + entry.lines).map((text) => `${text}\r`));
    default:
      throw new Unexplained(`${entry.kind} is not a kind of fault`);
  }
}

/** Each group's records stand in their order, groups begin in their order, and each but the last is begun before those before it have ended. */
function explainMix(groups: readonly (readonly string[])[], lines: readonly string[]): void {
  const written = groups.map(() => 0);
  let states: readonly (readonly number[])[] = [written];
  // Equal records (deprecation records of one second) belong to any of their groups: all ways to read the lines are followed.
  for (const line of lines) {
    const next = new Map<string, readonly number[]>();
    for (const state of states) {
      for (const [index, count] of state.entries()) {
        if (groups[index]?.[count] !== line) continue;
        if (count === 0 && state.some((other, before) => (before < index ? other === 0 : other > 0))) continue;
        const after = state.map((other, place) => (place === index ? count + 1 : other));
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
  insist(report === '' || report.endsWith('\n'), 'the report ends in half a line');
  return report
    .split('\n')
    .slice(0, -1)
    .map((line) => parseEntry(line));
}

function shown({ millisecond, method, target }: LogRequest, deployment: Deployment): ReportedRequest {
  const timestamp = formatIso(stampAt(Math.floor(millisecond / 1000), deployment));
  return { timestamp, method, target: target, target_base64: Buffer.from(target, 'latin1').toString('base64') };
}

/** What tells a request from the others: its bytes, whether or not they are UTF-8. */
function keyOf({ timestamp, method, target, target_base64 }: ReportedRequest): string {
  return `${timestamp} ${method} ${target_base64 ?? Buffer.from(target, 'utf8').toString('base64')}`;
}

function valueOf(value: string | number | undefined, base64: string | undefined): string {
  if (base64 !== undefined) return Buffer.from(base64, 'base64').toString('latin1');
  return Buffer.from(String(value), 'utf8').toString('latin1');
}
