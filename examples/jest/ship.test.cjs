const { Readable } = require('node:stream');
const { expect, test } = require('@jest/globals');
const { compareLogs, createDeployment, renderGroups } = require('webmail-diaglog');
const { ship } = require('./ship.cjs');

// Every request has a target of its own, so that no two groups are equal.
const start = Date.parse('2025-05-18T10:00:00Z');
const requests = Array.from({ length: 200 }, (_, index) => ({
  millisecond: start + 1000 * index,
  method: 'GET',
  target: `/mail/?r=${index}`,
}));

/** The log, as a stream of its bytes; each call gives the same bytes. */
const readLog = () => Readable.from(renderGroups([requests], createDeployment()));

test('every record of the log arrives, unchanged, in the field "message"', async () => {
  const sent = { source: 'sent.log', chunks: readLog() };
  const received = { source: 'received.ndjson', chunks: ship(readLog()) };
  const findings = [];
  let summary;
  const options = { comparison: { as: 'field', path: 'message' }, onEnd: (end) => (summary = end) };
  for await (const batch of compareLogs(sent, [received], options)) findings.push(...batch);
  expect(findings).toEqual([]);
  expect(summary.recordsDelivered).toBe(1600);
});
