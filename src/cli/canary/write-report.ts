import type { CanaryFinding, CanaryKind, CanarySnapshot } from '../../canary/findings.js';
import type { Ledger } from '../../canary/ledger.js';
import { formatJsonSummary, formatTextSummary } from '../../canary/report.js';
import type { Comparison } from '../../compare/options.js';
import { JSON_REPORT, TEXT_REPORT } from '../../compare/report.js';
import type { FileFollower, StreamFollower } from '../../input/follower.js';
import type { Output } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { formatCount } from '../../wording.js';
import { formatFollowed, refuseUnseen } from '../followed-inputs.js';
import { say } from '../messages.js';
import type { FindingOptions } from '../options/findings.js';
import { renderReport } from '../render-report.js';
import { sayMismatch } from '../say-mismatch.js';

/** Writes findings as they are known, and the summary at the end. @param snapshot gives the numbers once all findings are known */
export async function writeReport(
  findings: AsyncIterable<readonly CanaryFinding[]>,
  snapshot: () => CanarySnapshot,
  logSource: string,
  { json, allow: allowed = new Set() }: FindingOptions<CanaryKind>,
  output: Output,
): Promise<void> {
  const { formatFinding } = json === true ? JSON_REPORT : TEXT_REPORT;
  const summarize = (): string =>
    json === true ? formatJsonSummary(snapshot(), new Date().toISOString()) : formatTextSummary(snapshot(), logSource, allowed);
  const report = renderReport(findings, (finding) => formatFinding(finding, { expectedSource: logSource }), summarize);
  await writePieces(report, output, new AbortController().signal);
}

/** Says why a run ended early, and what may have been wrong with the call: a received file that never appeared, or one of another form. */
export function sayEnd({ mismatch }: Ledger, inputs: readonly (FileFollower | StreamFollower)[], comparison: Comparison): void {
  if (inputs.every(({ hasEnded }) => hasEnded)) say('the received inputs have ended; outstanding records are missing');
  for (const input of inputs) if (!input.hasAppeared) say(refuseUnseen(input, 'while the canary ran').message);
  const sources = inputs.map(({ source }) => source);
  sayMismatch(mismatch, sources, comparison);
}

/** The numbers for a terminal: `1,200 sent, 1,180 delivered, 20 outstanding, the oldest for 3 s, 2 missing, p50 12 ms, p99 40 ms`. */
export function describeSnapshot(snapshot: CanarySnapshot): string {
  const { counts, latency } = snapshot;
  const times = latency === undefined ? '' : `, p50 ${latency.p50.toFixed(0)} ms, p99 ${latency.p99.toFixed(0)} ms`;
  return `${formatFollowed(snapshot)}, ${formatCount(counts.missing)} missing${times}`;
}
