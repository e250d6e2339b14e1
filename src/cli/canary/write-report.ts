import type { CanaryFinding, CanaryKind, CanarySnapshot } from '../../canary/findings.js';
import type { Ledger } from '../../canary/ledger.js';
import { formatJsonEnd, formatJsonFinding, formatTextEnd, formatTextFinding } from '../../canary/report.js';
import type { LatencySummary } from '../../findings/latencies.js';
import type { Follower } from '../../input/follower.js';
import type { Destination } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { formatCount } from '../../wording.js';
import { formatOutstanding, refuseUnseen, truncationSayer } from '../followed-inputs.js';
import { say } from '../messages.js';
import type { FindingOptions } from '../options/findings.js';
import { renderReport } from '../render-report.js';
import { sayMismatch } from '../say-mismatch.js';

/** A canary that is reported. */
interface ReportedCanary {
  readonly ledger: Ledger;
  readonly findings: AsyncIterable<readonly CanaryFinding[]>;
  readonly snapshot: () => CanarySnapshot;
  readonly logSource: string;
}

/** Writes findings as they are known, and the summary at the end. @param onFinding is called before each finding */
export async function writeReport(
  { ledger, findings, snapshot, logSource }: ReportedCanary,
  { json }: FindingOptions<CanaryKind>,
  output: Destination,
  onFinding: () => void,
): Promise<void> {
  const summarize = (): string => {
    const summary = { end: snapshot(), counts: ledger.findings.counts };
    return json === true ? formatJsonEnd(summary, new Date().toISOString()) : formatTextEnd(summary, logSource);
  };
  const format = (finding: CanaryFinding): string => {
    onFinding();
    return json === true ? formatJsonFinding(finding) : formatTextFinding(finding);
  };
  await writePieces(renderReport(findings, format, summarize), output, new AbortController().signal);
}

/**
 * Makes the function that says what may be wrong with the call, or with the following, each thing once.
 *
 * @returns a function of the time within which nothing at all has been delivered; undefined if something has
 */
export function adviseOn(ledger: Ledger, inputs: readonly Follower[], run: string): (within: string | undefined) => void {
  const unsaid = new Set<unknown>(['mismatch', 'strangers', ...inputs]);
  const sayTruncations = truncationSayer(inputs);
  return (within) => {
    sayTruncations();
    if (ledger.hasStrangers && unsaid.delete('strangers'))
      say(`records came with the mark of this run that it did not write; another canary may use the same name, --run ${run}`);
    if (within === undefined) return;
    for (const input of inputs) if (!input.hasAppeared && unsaid.delete(input)) say(refuseUnseen(input, within).message);
    const sources = inputs.map(({ source }) => source);
    const { mismatch } = ledger;
    if (mismatch !== undefined && unsaid.delete('mismatch')) sayMismatch(mismatch, sources, ledger.comparison);
  };
}

/** The numbers for a terminal, what is wrong first: `2 missing`, `1 late`, `1,200 sent`, `20 outstanding, the oldest for 3 s`, `p50 12 ms`. */
export function describeProgress(snapshot: CanarySnapshot, latency: LatencySummary | undefined): readonly string[] {
  const { missing, ...others } = snapshot.counts;
  const wrong = Object.entries(others).filter(([, count]) => count > 0);
  const times = latency === undefined ? [] : (['p50', 'p99'] as const).map((name) => [name, latency[name]] as const);
  return [
    `${formatCount(missing)} missing`,
    ...wrong.map(([kind, count]) => `${formatCount(count)} ${kind}`),
    `${formatCount(snapshot.sent)} sent`,
    formatOutstanding(snapshot),
    ...times.map(([name, ms]) => `${name} ${formatCount(Math.round(ms))} ms`),
  ];
}
