import { formatPlace } from '../errors.js';
import { formatJsonSummary, formatTextSummary } from '../findings/delivery.js';
import type { FindingCounts } from '../findings/finding-counts.js';
import { followedLatency } from '../findings/latencies.js';
import { RESOLUTION_MS } from '../input/follower.js';
import { jsonFieldsOf } from '../log/byte-string.js';
import { countOf, showBytes } from '../wording.js';
import type { CanaryFinding, CanaryKind, CanarySnapshot } from './findings.js';

const SHOWN_BYTES = 160;

/** `2025-05-18T10:00:31Z missing: 16 records of requests 17-18, written 10:00:01Z: "[18-May-2025 12:00:01 +0200]: … (GET /mail/?canary=x-17)"`, LF */
export function formatTextFinding(finding: CanaryFinding): string {
  const { time, kind, records, request, lastRequest, written, source, text, how } = finding;
  const requests = request === lastRequest ? `request ${String(request)}` : `requests ${String(request)}-${String(lastRequest)}`;
  const parts = [
    `${countOf(records, 'record')} of ${requests}`,
    ...(written === undefined ? [] : [`written ${formatMoment(written, time)}`]),
    ...(source === undefined ? [] : [`in ${formatPlace({ source })}`]),
  ].join(', ');
  return `${formatMoment(time)} ${kind}: ${parts}${how === undefined ? '' : `: ${how}`}: "${showCut(text)}"\n`;
}

function formatMoment(iso: string, other = ''): string {
  const [date = '', time = ''] = iso.split('T');
  return `${other.startsWith(date) ? '' : `${date}T`}${time.slice(0, 'HH:MM:SS'.length)}Z`;
}

/** The beginning and the end of a record, safe for a terminal: its time, and its request target with the mark. */
function showCut(text: string): string {
  if (text.length <= SHOWN_BYTES) return showBytes(text, SHOWN_BYTES);
  const half = (SHOWN_BYTES - Buffer.byteLength('…')) >> 1;
  // Not within a UTF-8 sequence, whose rest would be shown as escaped bytes.
  const start = text.slice(0, half + 1).replace(/.[\x80-\xbf]*$/s, '');
  const end = text.slice(-half).replace(/^[\x80-\xbf]+/, '');
  return `${showBytes(start, SHOWN_BYTES)}…${showBytes(end, SHOWN_BYTES)}`;
}

export function formatJsonFinding({ lastRequest, written, source, text, how, ...found }: CanaryFinding): string {
  const { time, kind, records, request } = found;
  const which = { time, kind, records, request, last_request: lastRequest, written, source };
  return `${JSON.stringify({ ...which, ...jsonFieldsOf('text', text), how })}\n`;
}

type Counts = FindingCounts<CanaryKind>;

export function formatTextEnd(end: CanarySnapshot, counts: Counts, logSource: string): string {
  const { others, othersEqual, truncations, reconnects } = end;
  const equal = othersEqual > 0 ? `, ${String(othersEqual)} equal to deprecation records of this run` : '';
  return formatTextSummary({ ...deliveredOf(end), counts }, logSource, [
    ...(others > 0 ? [`${countOf(others, 'other record')} received${equal}`] : []),
    ...(truncations > 0 ? [countOf(truncations, 'truncation')] : []),
    ...(reconnects > 0 ? [countOf(reconnects, 'reconnect')] : []),
  ]);
}

export function formatJsonEnd(end: CanarySnapshot, counts: Counts, time: string): string {
  const { others, othersEqual, truncations, reconnects } = end;
  return formatJsonSummary({ ...deliveredOf(end), counts }, { time, others, others_equal: othersEqual, truncations, reconnects });
}

function deliveredOf({ sent, delivered, lossy, latency }: CanarySnapshot) {
  return { recordsSent: sent, recordsDelivered: delivered, lossy, latency: followedLatency(latency, RESOLUTION_MS) };
}
