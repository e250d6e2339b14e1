import { expect, test } from 'vitest';
import { compareLogs, replay, synthesize } from 'webmail-diaglog';
import { ship } from './ship.js';

/** The log. Each call gives the same bytes; `mark` numbers the requests, so that no two groups are equal. */
const makeLog = () => replay(synthesize({ count: 200, mark: 'r' }));

test('time and target of every record are parsed correctly', async () => {
  const sent = { source: 'sent.log', chunks: makeLog() };
  const received = { source: 'received.ndjson', chunks: ship(makeLog()) };
  const fields = { timestamp: 'time', request_target: 'url' };
  const findings = [];
  let summary;
  const options = { fields, max: 5, onEnd: (end) => (summary = end) };
  for await (const batch of compareLogs(sent, [received], options))
    findings.push(...batch.map(({ kind, source, line }) => `${source}:${line} ${kind}`));
  expect(findings).toEqual([]);
  expect(summary.recordsDelivered).toBe(1600);
});
