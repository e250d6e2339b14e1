import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { compareLogs, replay, synthesize } from 'webmail-diaglog';
import { ship } from './ship.mjs';

/** The log. Each call gives the same bytes; `mark` numbers the requests, so that no two groups are equal. */
const makeLog = () => replay(synthesize({ count: 200, mark: 'r' }));

test('every record of the log arrives, unchanged, in the field "message"', async () => {
  const sent = { source: 'sent.log', chunks: makeLog() };
  const received = { source: 'received.ndjson', chunks: ship(makeLog()) };
  const findings = [];
  let summary;
  const options = { field: 'message', max: 5, onEnd: (end) => (summary = end) };
  for await (const batch of compareLogs(sent, [received], options))
    findings.push(...batch.map(({ kind, source, line, how }) => ({ kind, source, line, how })));
  deepEqual(findings, []);
  equal(summary.recordsDelivered, 1600);
});
