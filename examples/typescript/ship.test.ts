import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { compareLogs, replay, synthesize, type ComparisonSummary } from 'webmail-diaglog';
import { ship } from './ship.js';

/** The log. Each call gives the same bytes; `mark` numbers the requests, so that no two groups are equal. */
const makeLog = (): AsyncIterable<Uint8Array> => replay(synthesize({ count: 200, mark: 'r' }));

void test('every record of the log arrives, unchanged, in the field "message"', async () => {
  const sent = { source: 'sent.log', chunks: makeLog() };
  const received = { source: 'received.ndjson', chunks: ship(makeLog()) };
  const findings: string[] = [];
  const summaries: ComparisonSummary[] = [];
  const options = { field: 'message', max: 5, onEnd: (summary: ComparisonSummary) => summaries.push(summary) };
  for await (const batch of compareLogs(sent, [received], options))
    findings.push(...batch.map(({ kind, source, line }) => `${source}:${String(line)} ${kind}`));
  deepEqual(findings, []);
  equal(summaries[0]?.recordsDelivered, 1600);
});
