import { createReadStream } from 'node:fs';
import { expect, test } from '@jest/globals';
import { compareLogs } from 'webmail-diaglog';
import { ship } from './ship.js';

const log = new URL('../../fixtures/requests.log', import.meta.url);

test('every record of the log arrives, unchanged, in the field "message"', async () => {
  const sent = { source: 'requests.log', chunks: createReadStream(log) };
  const received = { source: 'received.ndjson', chunks: ship(createReadStream(log)) };
  const findings = [];
  for await (const batch of compareLogs(sent, [received], { comparison: { as: 'field', path: 'message' } })) {
    findings.push(...batch);
  }
  expect(findings).toEqual([]);
});
