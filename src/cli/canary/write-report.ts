import type { CanaryFinding, CanaryKind, CanarySnapshot } from '../../canary/findings.js';
import type { Ledger } from '../../canary/ledger.js';
import { formatJsonSummary, formatTextSummary } from '../../canary/report.js';
import type { Comparison } from '../../compare/options.js';
import { JSON_REPORT, TEXT_REPORT } from '../../compare/report.js';
import { formatPlace } from '../../errors.js';
import type { FileFollower } from '../../input/file-follower.js';
import type { StreamFollower } from '../../input/stream-follower.js';
import { renderSummary, type Piece } from '../../output/piece.js';
import { formatCount } from '../../wording.js';
import { describeMismatch } from '../describe-mismatch.js';
import { formatFollowed, refuseUnseen } from '../followed-inputs.js';
import { say } from '../messages.js';
import type { FindingOptions } from '../options/findings.js';

/** Renders findings as they are known, and the summary at the end. @param snapshot gives the numbers once all findings are known */
export async function* renderReport(
  findings: AsyncIterable<readonly CanaryFinding[]>,
  snapshot: () => CanarySnapshot,
  logSource: string,
  { json, allow: allowed = new Set() }: FindingOptions<CanaryKind>,
): AsyncGenerator<readonly Piece[]> {
  const { formatFinding } = json === true ? JSON_REPORT : TEXT_REPORT;
  const format = (finding: CanaryFinding): string => formatFinding(finding, { expectedSource: logSource });
  for await (const batch of findings)
    yield batch.map((finding) => ({ bytes: Buffer.from(format(finding)), count: 1, origin: {} }));
  const end = snapshot();
  const time = new Date().toISOString();
  yield [renderSummary(json === true ? formatJsonSummary(end, time) : formatTextSummary(end, logSource, allowed))];
}

/** Says why a run ended early, and what may have been wrong with the call: a received file that never appeared, or one of another form. */
export function sayEnd({ mismatch }: Ledger, inputs: readonly (FileFollower | StreamFollower)[], comparison: Comparison): void {
  if (inputs.every(({ hasEnded }) => hasEnded)) say('the received inputs have ended; outstanding records are missing');
  for (const input of inputs) if (!input.hasAppeared) say(refuseUnseen(input, 'while the canary ran').message);
  if (mismatch === undefined) return;
  const sources = inputs.map(({ source }) => formatPlace({ source })).join(', ');
  say(`${sources}: ${describeMismatch(mismatch, comparison)}`);
}

/** The numbers for a terminal: `1,200 sent, 1,180 delivered, 20 outstanding, the oldest for 3 s, 2 missing, p50 12 ms, p99 40 ms`. */
export function describeSnapshot(snapshot: CanarySnapshot): string {
  const { counts, latency } = snapshot;
  const times = latency === undefined ? '' : `, p50 ${latency.p50.toFixed(0)} ms, p99 ${latency.p99.toFixed(0)} ms`;
  return `${formatFollowed(snapshot)}, ${formatCount(counts.missing)} missing${times}`;
}
