import { FindingCounts } from '../findings/finding-counts.js';
import { quoted, statement } from '../findings/statement.js';
import { DIALECTS } from '../log/dialect.js';
import type { Deployment } from '../log/deployment.js';
import { Assembler } from '../reading/assembler.js';
import { BlockFeed, type BlockReader } from '../reading/block-feed.js';
import type { LinePlaces } from '../reading/line-places.js';
import { logFilesOf, type LogBlock, type LogBytes } from '../reading/log-files.js';
import type { OpenGroup } from '../reading/open-group.js';
import type { CutGroup, WholeGroup } from '../reading/whole-group.js';
import { WholeGroupMatcher } from '../reading/whole-group-matcher.js';
import { HeldViolations } from './held-violations.js';
import { constantsOf, EntryReader, type CheckedEntry } from './entry.js';
import { isSurplus, Judge, violatesEnding } from './judge.js';
import { InstallationSearch } from './other-installation.js';
import { findStepBack, type GroupTime } from './step-back.js';
import { RULE_NAMES, type Rule, type Violation } from './rules.js';

/** Options of a check. */
interface CheckOptions {
  /** Rules whose violations are counted and not given. An allowed foreign line does not stand in for a missing record. */
  readonly allowed?: ReadonlySet<Rule>;
  /** Called after each chunk with the number of lines read so far. */
  readonly onRead?: (lines: number) => void;
  /** Called once, at the end of the log. */
  readonly onEnd?: (result: CheckResult) => void;
}

/** The numbers of a check. */
export interface CheckResult {
  readonly lines: number;
  /** All records of this log, broken ones too. */
  readonly records: number;
  /** All groups, incomplete ones too, without records that are too many. */
  readonly groups: number;
  /** True for the log of another installation: the deployment writes none of its groups, another deployment does. */
  readonly isOfOtherInstallation: boolean;
  readonly counts: FindingCounts<Rule>;
}

const NO_RULES: ReadonlySet<Rule> = new Set();

/** A batch is given at this size: one block of lines could hold a hundred times as many violations. */
const BATCH_VIOLATIONS = 1024;

/**
 * Checks a log against the specification (2.1 to 2.3, 6, 7) and a deployment, in either dialect. Gives batches of violations in the
 * order of lines, at least one batch for each chunk.
 *
 * In places where no group is open, whole groups are compared with what the deployment writes. Of an equal group only its time is
 * left to check.
 *
 * @param log the bytes of the log, cut anywhere, or its files: lines are counted over all of them
 * @throws a DataError that ended the log before its end, after the violations of what came before
 */
export async function* checkLog(
  log: LogBytes,
  deployment: Deployment,
  options: CheckOptions = {},
): AsyncGenerator<readonly Violation[]> {
  const files = logFilesOf(log);
  const search = new InstallationSearch();
  const checker = new Checker(deployment, options.allowed ?? NO_RULES, files);
  for await (const block of files.readBlocks(() => checker.lines)) {
    yield* checker.read(block);
    if (!checker.hasExpectedGroup) search.read(block);
    options.onRead?.(checker.lines);
    yield checker.drain();
  }
  checker.end();
  yield checker.drain();
  search.end();
  checker.isOfOtherInstallation = !checker.hasExpectedGroup && search.isOther(deployment);
  options.onEnd?.(checker);
  files.throwFailure();
}

class Checker implements CheckResult, BlockReader {
  lines = 0;
  records = 0;
  groups = 0;
  isOfOtherInstallation = false;
  /** True once a group was found that the deployment writes. */
  hasExpectedGroup = false;
  readonly counts: FindingCounts<Rule>;
  readonly #feed = new BlockFeed(this);
  readonly #matchers: WholeGroupMatcher[];
  readonly #reader: EntryReader;
  readonly #assembler: Assembler<CheckedEntry>;
  readonly #judge: Judge;
  readonly #places: LinePlaces;
  /** The time of the last group. */
  #time: GroupTime | undefined;
  /** Foreign lines that may stand in open groups, in order. */
  #foreignLines: number[] = [];
  readonly #held: HeldViolations;
  /** The first line of the first open group. */
  #openLine = Infinity;

  constructor(deployment: Deployment, allowedRules: ReadonlySet<Rule>, places: LinePlaces) {
    const constants = constantsOf(deployment);
    this.counts = new FindingCounts(RULE_NAMES, allowedRules);
    this.#held = new HeldViolations(this.counts);
    this.#matchers = DIALECTS.map((dialect) => new WholeGroupMatcher({ ...deployment, dialect }));
    this.#reader = new EntryReader(constants);
    this.#assembler = new Assembler(constants.plugins.length);
    this.#judge = new Judge(constants, places);
    this.#places = places;
  }

  /** Reads a block of whole lines; the last line of the log may end without LF. Gives full batches of violations. */
  *read({ bytes, overlong, endsFile = false }: LogBlock): Generator<readonly Violation[]> {
    if (overlong || endsFile) this.#feed.end();
    if (overlong) {
      this.lines += 1;
      this.#addForeign(bytes.toString('latin1'));
      this.#settle();
      return;
    }
    for (let at = this.#feed.begin(bytes); at < bytes.length;) {
      at = this.#feed.next(bytes, at);
      if (this.#held.settledCount >= BATCH_VIOLATIONS) yield this.drain();
    }
  }

  /** Gives up the open groups, so that all violations can be given. */
  end(): void {
    this.#feed.end();
    this.#assembler.end();
    this.#settle();
  }

  /** Takes out the violations whose order is final. */
  drain(): readonly Violation[] {
    return this.#held.drain();
  }

  /** Tries the dialect of the last group first: most logs have one. */
  matchGroup(block: Buffer, at: number): WholeGroup | CutGroup | undefined {
    if (!this.#assembler.isIdle) return undefined;
    const [first, second] = this.#matchers;
    const group = first?.match(block, at, this.lines + 1);
    if (group !== undefined || first === undefined || second === undefined) return group;
    const other = second.match(block, at, this.lines + 1);
    if (other !== undefined) this.#matchers.splice(0, 2, second, first);
    return other;
  }

  addGroup(group: WholeGroup): void {
    this.hasExpectedGroup = true;
    this.#assembler.rest();
    this.#settle();
    this.lines += group.constants.recordCount;
    this.records += group.constants.recordCount;
    this.groups += 1;
    this.#compareTime(group);
    this.#release();
    this.#reader.passWhole(this.lines, group.timestamp);
  }

  addLine(text: string, hasLf: boolean): void {
    this.lines += 1;
    this.#readLine(text, hasLf);
    this.#settle();
  }

  #readLine(text: string, hasLf: boolean): void {
    const entry = this.#reader.read(text, this.lines, hasLf);
    if (entry === undefined) {
      this.#addForeign(text, hasLf);
      return;
    }
    this.records += 1;
    if (entry.prefix !== '') this.#foreignLines.push(entry.line);
    this.#assembler.add(entry);
  }

  #addForeign(text: string, hasLf = true): void {
    const violations: Violation[] = [
      { line: this.lines, kind: 'foreign', found: quoted(text), expected: statement('a load-failure or a deprecation record') },
    ];
    if (!hasLf) violations.push(violatesEnding(this.lines, 'nothing'));
    this.#held.hold(violations);
    this.#foreignLines.push(this.lines);
    if (this.#assembler.isIdle) this.#assembler.rest();
  }

  /** Judges the groups that nothing more will come to. */
  #settle(): void {
    for (const group of this.#assembler.drain()) this.#judgeGroup(group);
    this.#release();
    if (this.#held.isOverfull) this.end();
  }

  #judgeGroup(group: OpenGroup<CheckedEntry>): void {
    const { violations, time } = this.#judge.judge(group, this.#hasForeign);
    this.#held.hold(violations);
    if (!isSurplus(group)) this.groups += 1;
    if (time !== undefined) this.#compareTime(time);
  }

  readonly #hasForeign = (from: number, until: number): boolean =>
    !this.counts.isAllowed('foreign') && this.#foreignLines.some((line) => line >= from && line <= until);

  #compareTime(time: GroupTime): void {
    const stepBack = this.#time && findStepBack(time, this.#time, this.#places);
    if (stepBack !== undefined) this.#held.hold([stepBack]);
    this.#time = time;
  }

  #release(): void {
    const until = this.#assembler.firstOpenLine;
    // While the same group is open, nothing more can be given.
    if (until === this.#openLine && until !== Infinity) return;
    this.#openLine = until;
    // A foreign line directly before an open group may stand in for its first record.
    if (this.#foreignLines.length > 0)
      this.#foreignLines = this.#foreignLines.filter((line) => line >= Math.min(until, this.lines) - 1);
    this.#held.release(until);
  }
}
