import { deepEqual, equal } from 'node:assert/strict';
import { compareLogs, createDeployment, injectFaults, replay, synthesize } from 'webmail-diaglog';
import { ship } from './ship.mjs';

// An hour of traffic. The same options give the same bytes, so the sent log is made again for the comparison instead of stored.
const makeRequests = () => synthesize({ seed: 7, duration: 3_600_000, rate: 1, mark: 'r' });

const makeLog = () => replay(makeRequests());

/** The same log with torn, late, mixed, foreign and other faults at one group in ten. */
async function* makeBrokenLog() {
  const options = { rates: { all: 0.01 }, seed: 7 };
  for await (const { bytes } of injectFaults(makeRequests(), createDeployment(), options)) yield bytes;
}

/** A pipeline that loses one object in a thousand, which the comparison must notice. */
async function* shipWithLoss(log) {
  let number = 0;
  for await (const object of ship(log)) {
    number += 1;
    if (number % 1000 !== 0) yield object;
  }
}

/** Compares the output of a pipeline with its log. Gives the summary and the first findings. */
async function compare(make, pipeline) {
  const sent = { source: 'sent.log', chunks: make() };
  const received = { source: 'received.ndjson', chunks: pipeline(make()) };
  let summary;
  // Garbage is among the faults, and JSON cannot contain bytes that are not UTF-8.
  const options = { field: 'message', lossy: true, max: 5, onEnd: (end) => (summary = end) };
  const findings = [];
  for await (const batch of compareLogs(sent, [received], options)) findings.push(...batch);
  return { findings, summary };
}

for (const make of [makeLog, makeBrokenLog]) {
  const { findings, summary } = await compare(make, ship);
  deepEqual(findings, []);
  equal(summary.recordsDelivered, summary.recordsSent);
  console.log(`${make.name}: ${summary.recordsDelivered} of ${summary.recordsSent} records delivered`);
}

const { summary } = await compare(makeLog, shipWithLoss);
deepEqual([...summary.counts.found], [['missing', 28]]);
console.log('shipWithLoss: 28 records missing, as expected');
