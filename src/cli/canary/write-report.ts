import type { CanaryKind, CanarySnapshot } from '../../canary/findings.js';
import { JSON_LINES, TEXT } from '../../canary/report.js';
import type { CanaryRun } from '../../canary/run.js';
import type { Comparison } from '../../compare/options.js';
import type { Output } from '../../output/destination.js';
import { writePieces } from '../../output/pack.js';
import { formatCount } from '../../wording.js';
import { formatFollowed, refuseUnseen } from '../followed-inputs.js';
import { say } from '../messages.js';
import type { FindingOptions } from '../options/findings.js';
import { renderReport } from '../render-report.js';
import { sayMismatch } from '../say-mismatch.js';

/** The options of a report. */
interface ReportOptions extends FindingOptions<CanaryKind> {
  readonly comparison: Comparison;
}

/** Writes findings as they are known, and the summary at the end. Returns when the run has ended. */
export async function writeReport(
  { findings, snapshot }: CanaryRun,
  { json, allow: allowed = new Set() }: ReportOptions,
  logSource: string,
  output: Output,
): Promise<void> {
  const { formatFinding, formatSummary } = json === true ? JSON_LINES : TEXT;
  const report = renderReport(
    findings,
    (finding) => formatFinding(finding, logSource),
    () => formatSummary(snapshot(), { logSource, allowed, time: new Date().toISOString() }),
  );
  await writePieces(report, output, new AbortController().signal);
}

/** Says what may have been wrong with the call: a received file that never appeared, or one of another form. */
export function sayEnd(
  run: CanaryRun,
  inputs: readonly { readonly source: string; readonly hasAppeared: boolean }[],
  { comparison }: ReportOptions,
): void {
  for (const input of inputs) if (!input.hasAppeared) say(refuseUnseen(input, 'while the canary ran').message);
  sayMismatch(
    run.findMismatch(),
    inputs.map(({ source }) => source),
    comparison,
  );
}

/** The numbers for a terminal: `1,200 sent, 1,180 delivered, 20 outstanding, the oldest for 3 s, 2 missing, p50 12 ms, p99 40 ms`. */
export function describeSnapshot(snapshot: CanarySnapshot): string {
  const { counts, latency } = snapshot;
  const times = latency === undefined ? '' : `, p50 ${latency.p50.toFixed(0)} ms, p99 ${latency.p99.toFixed(0)} ms`;
  return `${formatFollowed(snapshot)}, ${formatCount(counts.missing)} missing${times}`;
}
