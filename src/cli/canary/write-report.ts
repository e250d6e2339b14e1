import type { CanaryFinding, CanaryKind, CanarySnapshot } from '../../canary/findings.js';
import type { Ledger } from '../../canary/ledger.js';
import type { Comparison } from '../../compare/options.js';
import {
  formatJsonFinding,
  formatJsonSummary,
  formatTextFinding,
  formatTextSummary,
  type DeliverySummary,
} from '../../findings/delivery.js';
import { followedLatency } from '../../findings/latencies.js';
import { RESOLUTION_MS, type Follower } from '../../input/follower.js';
import type { Output } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { countOf, formatCount } from '../../wording.js';
import { formatFollowed, refuseUnseen } from '../followed-inputs.js';
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
  output: Output,
  onFinding: () => void,
): Promise<void> {
  const summarize = (): string => {
    const { sent, delivered, others, lossy, latency } = snapshot();
    const summary: DeliverySummary<CanaryKind> = {
      recordsSent: sent,
      recordsDelivered: delivered,
      counts: ledger.findings.counts,
      lossy,
      latency: followedLatency(latency, RESOLUTION_MS),
    };
    if (json === true) return formatJsonSummary(summary, { time: new Date().toISOString(), others });
    return formatTextSummary(summary, logSource, others > 0 ? [`${countOf(others, 'other record')} received`] : []);
  };
  const format = (finding: CanaryFinding): string => {
    onFinding();
    return json === true ? formatJsonFinding(finding) : formatTextFinding(finding, logSource);
  };
  const report = renderReport(findings, format, summarize);
  await writePieces(report, output, new AbortController().signal);
}

/**
 * Makes the function that says what may be wrong with the call, each thing once: a received file that did not appear within a time, or
 * received inputs of another form.
 */
export function adviseOn(ledger: Ledger, inputs: readonly Follower[], comparison: Comparison): (within: string) => void {
  const unsaid = new Set<unknown>([ledger, ...inputs]);
  return (within) => {
    for (const input of inputs) if (!input.hasAppeared && unsaid.delete(input)) say(refuseUnseen(input, within).message);
    const sources = inputs.map(({ source }) => source);
    if (ledger.mismatch !== undefined && unsaid.delete(ledger)) sayMismatch(ledger.mismatch, sources, comparison);
  };
}

/** The numbers for a terminal: `1,200 sent, 1,180 delivered, 20 outstanding, the oldest for 3 s, 2 missing, p50 12 ms, p99 40 ms`. */
export function describeSnapshot(snapshot: CanarySnapshot): string {
  const { counts, latency } = snapshot;
  const times = latency === undefined ? '' : `, p50 ${latency.p50.toFixed(0)} ms, p99 ${latency.p99.toFixed(0)} ms`;
  return `${formatFollowed(snapshot)}, ${formatCount(counts.missing)} missing${times}`;
}
