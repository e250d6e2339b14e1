import { FindingCounts } from '../findings/finding-counts.js';
import { quoted, statement } from '../findings/statement.js';
import { cutLines, type LineBytes } from '../lines.js';
import { DIALECTS } from '../log/dialect.js';
import type { Deployment } from '../log/deployment.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { WholeGroups, type WholeGroup } from '../reading/whole-groups.js';
import { constantsOf, EntryReader } from './entry.js';
import { LenientAssembler } from './gather.js';
import type { GatheredGroup } from './gathered-group.js';
import { findStepBack, Judge, violatesEnding, type GroupTime } from './judge.js';
import { RULE_NAMES, type Rule, type Violation } from './rules.js';

/** How a log is to be checked. */
interface CheckOptions {
  /** Rules whose violations are counted and not given. A foreign line that is allowed is not taken for a record that lacks. */
  readonly allowed?: ReadonlySet<Rule>;
  /** Called for each piece of input, with the number of lines read so far. */
  readonly onRead?: (lines: number) => void;
  /** Called once, when all has been read. */
  readonly onEnd?: (result: CheckResult) => void;
}

/** What was checked, and what was found. */
export interface CheckResult {
  readonly lines: number;
  /** All groups, those that lack records too; not what is one record too many. */
  readonly groups: number;
  readonly counts: FindingCounts<Rule>;
}

const LF = 0x0a;
const NO_RULES: ReadonlySet<Rule> = new Set();

/** A block of lines can hold a hundred times as many, each a violation. */
const BATCH_VIOLATIONS = 1024;

/** How much of a line that is too long is kept, to show it. */
const SHOWN_BYTES = 4096;

/** Groups are given up when what was found behind them is more than this. */
const MAX_HELD_BYTES = 16 << 20;

/**
 * Holds a log against the specification (2.1 to 2.3, 6, 7) and its deployment; both dialects are accepted. Gives batches of
 * violations, in the order of lines, at least one for each piece of input.
 *
 * Whole groups, where none is open, are compared with what the deployment writes: all but their order in time is right then.
 *
 * @param chunks the bytes of the log, cut anywhere
 */
export async function* checkLog(
  chunks: AsyncIterable<Uint8Array>,
  deployment: Deployment,
  options: CheckOptions = {},
): AsyncGenerator<readonly Violation[]> {
  const checker = new Checker(deployment, options.allowed ?? NO_RULES);
  for await (const block of cutLines(chunks, { maxLineBytes: MAX_RECORD_BYTES, shownBytes: SHOWN_BYTES })) {
    yield* checker.read(block);
    options.onRead?.(checker.lines);
    yield checker.take();
  }
  checker.end();
  yield checker.take();
  options.onEnd?.(checker);
}

class Checker implements CheckResult {
  lines = 0;
  groups = 0;
  readonly counts: FindingCounts<Rule>;
  readonly #wholeGroups: WholeGroups[];
  readonly #reader: EntryReader;
  readonly #gatherer: LenientAssembler;
  readonly #judge: Judge;
  /** The time of the group before. */
  #time: GroupTime | undefined;
  /** Foreign lines that may stand in a group that is still open, in order. */
  #foreignLines: number[] = [];
  /** Found, but not given: something may be found yet on lines before it. */
  #held: Violation[] = [];
  #heldBytes = 0;
  #settled: Violation[] = [];
  /** The first line of the first open group. */
  #openLine = Infinity;

  constructor(deployment: Deployment, allowedRules: ReadonlySet<Rule>) {
    const constants = constantsOf(deployment);
    this.counts = new FindingCounts(RULE_NAMES, allowedRules);
    this.#wholeGroups = DIALECTS.map((dialect) => new WholeGroups({ ...deployment, dialect }));
    this.#reader = new EntryReader(constants);
    this.#gatherer = new LenientAssembler(constants.plugins.length, constants.timezone);
    this.#judge = new Judge(constants);
  }

  /** Reads whole lines; the last one of the log may lack its LF. Gives violations before all is read where there are many. */
  *read({ bytes, overlong }: LineBytes): Generator<readonly Violation[]> {
    if (overlong) {
      this.lines += 1;
      this.#addForeign(bytes.toString('latin1'));
      this.#settle();
      return;
    }
    for (let at = 0; at < bytes.length;) {
      const group = this.#gatherer.isIdle ? this.#matchWhole(bytes, at) : undefined;
      if (group !== undefined) {
        this.#addWhole(group);
        at += group.byteLength;
        continue;
      }
      const lf = bytes.indexOf(LF, at);
      const end = lf === -1 ? bytes.length : lf;
      this.lines += 1;
      this.#readLine(bytes.toString('latin1', at, end), lf !== -1);
      this.#settle();
      if (this.#settled.length >= BATCH_VIOLATIONS) yield this.take();
      at = end + 1;
    }
  }

  /** Waits for no more records of the groups that are open, so that all that was found can be given. */
  end(): void {
    this.#gatherer.end();
    this.#settle();
  }

  /** The violations that were found since the last call. */
  take(): readonly Violation[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  /** A log has one dialect mostly: that of the group before is tried first. */
  #matchWhole(bytes: Buffer, at: number): WholeGroup | undefined {
    const [first, second] = this.#wholeGroups;
    const group = first?.match(bytes, at, this.lines + 1);
    if (group !== undefined || first === undefined || second === undefined) return group;
    const other = second.match(bytes, at, this.lines + 1);
    if (other !== undefined) this.#wholeGroups.splice(0, 2, second, first);
    return other;
  }

  #addWhole(group: WholeGroup): void {
    this.lines += group.records.length;
    this.groups += 1;
    this.#compareTime(group);
    this.#release();
    this.#gatherer.passWhole(this.lines, group.timestamp);
  }

  #readLine(text: string, hasLf: boolean): void {
    const entry = this.#reader.read(text, this.lines, hasLf);
    if (entry === undefined) {
      this.#addForeign(text, hasLf);
      return;
    }
    if (entry.prefix !== '') this.#foreignLines.push(entry.line);
    this.#gatherer.add(entry);
  }

  #addForeign(text: string, hasLf = true): void {
    const violations: Violation[] = [
      { line: this.lines, kind: 'foreign', found: quoted(text), expected: statement('a load-failure or a deprecation record') },
    ];
    if (!hasLf) violations.push(violatesEnding(this.lines, 'nothing'));
    this.#hold(violations);
    this.#foreignLines.push(this.lines);
    this.#gatherer.passLine(this.lines);
  }

  /** Judges the groups that are complete, and gives what nothing can come before any more. */
  #settle(): void {
    for (const group of this.#gatherer.take()) this.#judgeGroup(group);
    this.#release();
    if (this.#heldBytes > MAX_HELD_BYTES) this.end();
  }

  #judgeGroup(group: GatheredGroup): void {
    const { violations, time } = this.#judge.judge(group, this.#hasForeign);
    this.#hold(violations);
    if (!group.isSurplus) this.groups += 1;
    if (time !== undefined) this.#compareTime(time);
  }

  readonly #hasForeign = (from: number, until: number): boolean =>
    !this.counts.isAllowed('foreign') && this.#foreignLines.some((line) => line >= from && line <= until);

  #compareTime(time: GroupTime): void {
    const stepBack = this.#time && findStepBack(time, this.#time);
    if (stepBack !== undefined) this.#hold([stepBack]);
    this.#time = time;
  }

  /** Of what one line breaks, one rule counts: the first that is not allowed. `backwards` and what lacks are faults of a group. */
  #hold(violations: readonly Violation[]): void {
    const [only, ...more] = violations;
    if (only === undefined) return;
    if (more.length === 0) {
      this.#count(only);
      return;
    }
    const lines = new Set<number>();
    for (const violation of [
      ...violations.filter((violation) => !this.#isAllowed(violation)),
      ...violations.filter(this.#isAllowed),
    ]) {
      const { line, kind } = violation;
      if (!OF_GROUPS.has(kind)) {
        if (lines.has(line)) continue;
        lines.add(line);
      }
      this.#count(violation);
    }
  }

  #count(violation: Violation): void {
    this.counts.add(violation.kind);
    if (this.#isAllowed(violation)) return;
    this.#held.push(violation);
    this.#heldBytes += sizeOf(violation);
  }

  readonly #isAllowed = ({ kind }: Violation): boolean => this.counts.isAllowed(kind);

  #release(): void {
    const until = this.#gatherer.firstOpenLine;
    // As long as the same group is open, nothing more can be given.
    if (until === this.#openLine && until !== Infinity) return;
    this.#openLine = until;
    // The line before an open group's first one may stand for what that group lacks.
    if (this.#foreignLines.length > 0)
      this.#foreignLines = this.#foreignLines.filter((line) => line >= Math.min(until, this.lines) - 1);
    if (this.#held.length === 0) return;
    const [ready, held] = [this.#held.filter(({ line }) => line < until), this.#held.filter(({ line }) => line >= until)];
    for (const violation of ready.sort((one, other) => one.line - other.line)) {
      this.#settled.push(violation);
      this.#heldBytes -= sizeOf(violation);
    }
    this.#held = held;
  }
}

/** Faults of a group as a whole: they do not keep a line's own from being counted. */
const OF_GROUPS: ReadonlySet<Rule> = new Set<Rule>(['incomplete', 'interleaved', 'backwards']);

function sizeOf({ found, expected }: Violation): number {
  return (found.value?.length ?? 0) + (expected.value?.length ?? 0);
}
