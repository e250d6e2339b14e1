import { FindingCounts } from '../findings/finding-counts.js';
import { quoted, statement, VALUE } from '../findings/finding.js';
import type { Deployment } from '../log/deployment.js';
import { formatStamp } from '../log/timestamp.js';
import { InstallationSearch } from '../reading/inferred-groups.js';
import { nameLine } from '../reading/line-places.js';
import { logFilesOf, type LogBytes, type LogFiles } from '../reading/log-files.js';
import { readLog, type LogReader, type ReadLogOptions } from '../reading/log-reader.js';
import type { PassedOver } from '../reading/passed-over.js';
import { lastLineOf, type WholeGroup } from '../reading/whole-group.js';
import { CheckedGroups, checkedConstantsOf, type CheckedEntry, type Constants } from './checked-lines.js';
import { GapLines, isHalfRecord } from './gaps.js';
import { firstCounted, Judge, violatesEnding, type JudgedGroup, type PlacedGroup } from './judge.js';
import { RULE_NAMES, type Rule, type Violation } from './rules.js';
import { Stretch } from './stretch.js';

/** Options of `check`: those of the command `check`. */
export interface CheckOptions {
  /** The deployment that the log is compared with. Default: that of the specification, `createDeployment()`. */
  readonly deployment?: Deployment;
  /**
   * True to compare the log with the deployment of its own groups (the first one that writes two), instead of `deployment`. The bytes
   * that are read for it are kept in memory, 16 MiB of each file at most: the log is still read once. Default false.
   */
  readonly infer?: boolean;
  /** Violations of these rules are counted and not given: an array, or a Set. An allowed foreign line does not stand in for a missing record. */
  readonly allow?: Iterable<Rule>;
  /** The most violations that are given; all are counted. Default: no limit. */
  readonly max?: number;
  /** Called once, at the end of the log. */
  readonly onEnd?: (result: CheckResult) => void;
}

interface CheckLogOptions extends Pick<CheckOptions, 'allow' | 'max'>, Pick<ReadLogOptions, 'onRead'> {
  readonly onEnd?: (result: CheckResult, passedOver: PassedOver) => void;
  /** True where load failures may show a session id: in a log whose deployment is its own. Default false. */
  readonly hasSessions?: boolean;
}

/** The numbers of a check. */
export interface CheckResult {
  /** All lines of the log; a record in pieces has several. */
  readonly lines: number;
  /** All records of this log, broken ones too. */
  readonly records: number;
  /** All groups, incomplete ones too, without records that are too many. */
  readonly groups: number;
  /** True for the log of another installation: the deployment writes none of its groups, another deployment does. */
  readonly isOfOtherInstallation: boolean;
  readonly counts: FindingCounts<Rule>;
}

/**
 * Checks a log against the specification (2.1 to 2.3, 6, 7) and a deployment, in either dialect. Gives batches of violations in the
 * order of lines, one for each block.
 * @throws a DataError that ended the log before its end, after the violations of what came before
 */
export async function* checkLog(
  log: LogBytes,
  deployment: Deployment,
  options: CheckLogOptions = {},
): AsyncGenerator<readonly Violation[]> {
  const files = logFilesOf(log);
  const search = new InstallationSearch(() => files.driver);
  const checker = new Checker(deployment, options, files);
  const onEnd = (passedOver: PassedOver): void => options.onEnd?.(checker, checker.passOver(passedOver));
  for await (const events of readLog(files, checker.log, { ...options, onEnd }, true)) {
    const { block } = events;
    yield checker.take(events, block === undefined).filter(({ kind }) => checker.counts.show(kind));
    if (checker.hasExpectedGroup) continue;
    if (block !== undefined) search.read(block);
    else checker.isOfOtherInstallation = search.isOther(deployment);
  }
}

class Checker implements CheckResult {
  groups = 0;
  isOfOtherInstallation = false;
  hasExpectedGroup = false;
  lines = 0;
  records = 0;
  readonly counts: FindingCounts<Rule>;
  readonly log: CheckedGroups;
  readonly #constants: Constants;
  readonly #judge: Judge;
  readonly #places: LogFiles;
  #above: PlacedGroup | undefined;
  #timed: PlacedGroup | undefined;
  readonly #gapLines = new GapLines();
  /** Violations that wait: others may still be found on lines before them. */
  #held: Violation[] = [];
  #stretch = new Stretch();

  constructor(deployment: Deployment, { allow, max, hasSessions = false }: CheckLogOptions, places: LogFiles) {
    this.#constants = checkedConstantsOf(deployment, hasSessions);
    this.log = new CheckedGroups(this.#constants);
    this.counts = new FindingCounts(RULE_NAMES, allow, max);
    this.#judge = new Judge(this.#constants, places, this.counts);
    this.#places = places;
  }

  /** Takes the events that there are, and gives the violations of lines on which no others can be found. */
  take(events: LogReader<CheckedEntry>, isEnd: boolean): readonly Violation[] {
    for (const event of events) {
      if (event.kind === 'foreign') this.#addForeign(event.line, event.text, event.hasLf);
      else if (event.kind === 'group') this.#stretch.add(event.group);
      else if (this.#stretch.isEmpty) this.#passWhole(event.group);
      else this.#stretch.addWhole(event.group);
      if (event.kind === 'whole') this.hasExpectedGroup = true;
      if (!this.#stretch.isEmpty && this.#stretch.isReady(events.until)) this.#endStretch();
    }
    const { lines, foreign } = events.passedOver;
    this.lines = lines + this.#places.surplusLines;
    this.records = lines - foreign.count;
    if (isEnd) this.#endStretch();
    const violations = this.#release(events.until);
    const values = this.#held.map(({ found, expected }) => (found.value?.length ?? 0) + (expected.value?.length ?? 0));
    if (values.reduce((bytes, length) => bytes + length + VIOLATION_BYTES, 0) <= MAX_HELD_BYTES) return violations;
    events.giveUp();
    return [...violations, ...this.take(events, true)];
  }

  /** Lines that were passed over: where all records stand behind other text, no line is a record. */
  passOver(passedOver: PassedOver): PassedOver {
    const { lines, foreign } = passedOver;
    const prefix = this.log.prefix.text;
    if (prefix === '' || this.counts.of('foreign') !== lines) return passedOver;
    const foreignPrefix = foreign.count > 0 ? passedOver.foreignPrefix : prefix;
    return { ...passedOver, foreign: { count: lines, lines: [] }, foreignPrefix };
  }

  #addForeign(line: number, text: string, hasLf: boolean): void {
    const violations: Violation[] = [{ line, kind: 'foreign', found: quoted(text), expected: statement(this.#constants.kinds) }];
    if (!hasLf) violations.push(violatesEnding(line, 'nothing'));
    this.#hold(firstCounted(violations, this.counts));
    this.#addGapLine(line, text);
  }

  #addGapLine(line: number, text: string): void {
    if (!this.counts.isAllowed('foreign')) this.#gapLines.add(line, isHalfRecord(text, this.#constants.openings));
  }

  #endStretch(): void {
    const { groups, wholes } = this.#stretch;
    for (const records of groups) for (const { line, prefix } of records) if (prefix !== '') this.#addGapLine(line, prefix);
    const judged = this.#stretch.judge(this.#judge, this.#constants);
    this.#stretch = new Stretch();
    for (const group of [...wholes, ...judged].sort((one, other) => one.line - other.line)) {
      if ('records' in group) this.#passGroup(group);
      else this.#passWhole(group);
    }
  }

  #passGroup(group: JudgedGroup): void {
    const { line, gaps, violations, isSurplus } = group;
    if (!isSurplus) this.#passInOrder(group);
    if (gaps.length + violations.length === 0) this.hasExpectedGroup = true;
    const unfilled = gaps.filter((gap) => !this.#gapLines.fill(gap));
    this.#hold([...this.#judge.violatesWhole(line, unfilled), ...violations]);
  }

  #passWhole(group: WholeGroup): void {
    this.#passInOrder({ line: group.line, lastLine: lastLineOf(group), time: group });
  }

  /** Counts a group, and checks the order (6, 6.4): every group passes here, in the order of first records. */
  #passInOrder(group: PlacedGroup): void {
    const { line, time } = group;
    const [above, timed] = [this.#above, this.#timed];
    this.groups += 1;
    this.#above = time && group;
    if (above !== undefined && above.lastLine > line) {
      const found = statement(`a group begins before the group of ${nameLine(above.line, line, this.#places)} has ended`);
      const expected = statement('one group after the other');
      this.#hold([{ line, kind: 'interleaved', found, expected, groupLine: above.line }]);
    }
    if (time === undefined) return;
    this.#timed = group;
    if (timed?.time === undefined || time.second >= timed.time.second) return;
    const place = nameLine(timed.line, line, this.#places);
    const expected = statement(`none earlier than ${VALUE} of the group above, ${place}`, formatStamp(timed.time));
    this.#hold([{ line, kind: 'backwards', found: statement(VALUE, formatStamp(time)), expected, groupLine: timed.line }]);
  }

  #hold(violations: readonly Violation[]): void {
    for (const { kind } of violations) this.counts.add(kind);
    this.#held.push(...violations.filter(({ kind }) => !this.counts.isAllowed(kind)));
  }

  #release(untilRead: number): readonly Violation[] {
    const until = Math.min(untilRead, this.#stretch.firstLine);
    this.#gapLines.forget(until);
    const ready = this.#held.filter(({ line }) => line < until);
    this.#held = this.#held.filter(({ line }) => line >= until);
    return ready.sort((violation, other) => violation.line - other.line);
  }
}

const MAX_HELD_BYTES = 16 << 20;

/** The bytes that a violation counts for beside its values, so that those of empty lines are bounded too. */
const VIOLATION_BYTES = 128;
