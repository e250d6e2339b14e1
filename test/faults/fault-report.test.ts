import { describe, expect, test } from '@jest/globals';
import { formatFault, type Fault, type FaultDetails } from '../../src/faults/fault.js';
import { describeFaults, ReportedOutput } from '../../src/faults/fault-report.js';
import { createDeployment } from '../../src/log/deployment.js';
import { encodeText } from '../../src/log/byte-string.js';
import { Packet } from '../../src/output/packet.js';
import { HeldOutput, type Outcome } from '../support/held-output.js';

const SPECIFIED = createDeployment();
const REQUEST = { millisecond: 1_747_562_400_999, method: 'GET', target: '/mail/' };
const SHOWN = '{"timestamp":"2025-05-18T12:00:00+02:00","method":"GET","target":"/mail/"}';

function faultAt(line: number, details: FaultDetails = { kind: 'missing' }): Fault {
  return { line, lines: 1, request: REQUEST, details };
}

describe('a line of the report', () => {
  test.each<[FaultDetails, string]>([
    [{ kind: 'torn', bytes: 5 }, ',"bytes":5'],
    [{ kind: 'missing' }, ''],
    [{ kind: 'late' }, ''],
    [{ kind: 'altered', field: 'line_number', from: 193, to: 4 }, ',"field":"line_number","from":193,"to":4'],
    [
      { kind: 'altered', field: 'request_target', from: '/\xff', to: '/mail/' },
      ',"field":"request_target","from":"/\ufffd","from_base64":"L/8=","to":"/mail/"',
    ],
    [{ kind: 'interleave', requests: [REQUEST, REQUEST] }, `,"requests":[${SHOWN},${SHOWN}]`],
    [{ kind: 'foreign', record: 'smtp' }, ',"record":"smtp"'],
    [
      { kind: 'foreign', record: 'login_failed', user: 'jan', address: '192.0.2.1' },
      ',"record":"login_failed","user":"jan","address":"192.0.2.1"',
    ],
    [
      { kind: 'foreign', record: 'own', user: encodeText('żółw'), address: '\xfe' },
      ',"record":"own","user":"żółw","address":"\ufffd","address_base64":"/g=="',
    ],
  ])('%j', (details, more) => {
    expect(formatFault(faultAt(7, details), SPECIFIED)).toBe(
      `{"kind":"${details.kind}","line":7,"lines":1,"request":${SHOWN}${more}}\n`,
    );
  });

  test('has the bytes of a target that is not UTF-8', () => {
    const fault = { ...faultAt(1), request: { ...REQUEST, target: '/\xc5' } };
    expect(formatFault(fault, SPECIFIED)).toContain('"target":"/\ufffd","target_base64":"L8U="}');
  });
});

/** A packet of some groups. */
function packetOf(count: number): Packet {
  const packet = new Packet();
  packet.add({ bytes: Buffer.from('records\n'), count, origin: {} });
  return packet;
}

describe('the report', () => {
  test('holds what stands in the log, whole lines at every write, and counts it', async () => {
    const report = new HeldOutput([], true, 'fault');
    const output = new ReportedOutput(new HeldOutput([]), SPECIFIED, report);
    for (const groups of [3, 5, 9]) output.add(faultAt(groups * 10), groups);
    const written: string[] = [];
    for (const groups of [0, 2, 1, 1, 4, 0, 1, 0]) {
      await output.write(packetOf(groups));
      written.push(report.writes.join(''));
    }
    const lines = [30, 50, 90].map((line) => formatFault(faultAt(line), SPECIFIED));
    const upTo = (count: number): string => lines.slice(0, count).join('');
    expect(written).toEqual([0, 0, 1, 1, 2, 2, 3, 3].map(upTo));
    expect(output.counts).toEqual({ missing: 3 });
  });

  test('of many faults at a time is one write of whole lines', async () => {
    const report = new HeldOutput([], true, 'fault');
    const output = new ReportedOutput(new HeldOutput([]), SPECIFIED, report);
    for (let line = 1; line <= 2000; line += 1) output.add(faultAt(line), 1);
    await output.write(packetOf(1));
    expect(report.writes.length).toBe(1);
    expect(report.writes.join('').split('\n').length).toBe(2001);
    expect(report.written).toBe(2000);
  });

  test('without an output counts', async () => {
    const output = new ReportedOutput(new HeldOutput([]), SPECIFIED);
    output.add(faultAt(1), 1);
    output.add(faultAt(1, { kind: 'late' }), 2);
    await output.write(packetOf(1));
    expect(output.counts).toEqual({ missing: 1 });
  });
});

const FULL = new Error('no space left');

/** Writes three pieces of two groups each, of which each second one has a fault, to a log and a report whose fate is planned. */
async function writeThree(logPlan: Outcome[], reportPlan: Outcome[]) {
  const log = new HeldOutput(logPlan);
  const lines = new HeldOutput(reportPlan, true, 'fault');
  const output = new ReportedOutput(log, SPECIFIED, lines);
  const packet = new Packet();
  for (const [index, line] of [7, 8, 9].entries()) {
    output.add(faultAt(line), 2 * (index + 1));
    packet.add({ bytes: Buffer.from('records\n'), count: 2, origin: { line } });
  }
  const error: unknown = await output.write(packet).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, output, reported: Array.from(lines.writes.join('').matchAll(/"line":(\d+)/g), ([, line]) => Number(line)) };
}

describe('after a write to the log', () => {
  test('the report holds the faults that stand', async () => {
    const { error, output, reported } = await writeThree([], []);
    expect(error).toBeUndefined();
    expect(reported).toEqual([7, 8, 9]);
    expect({ written: output.written, lastLine: output.last?.line, noun: output.noun }).toEqual({
      written: 6,
      lastLine: 9,
      noun: 'group',
    });
  });

  test('of which a part stands, the report holds the faults of that part', async () => {
    const { error, output, reported } = await writeThree([{ standing: 2, error: FULL }], []);
    expect(error).toBe(FULL);
    expect(reported).toEqual([7, 8]);
    expect({ written: output.written, lastLine: output.last?.line }).toEqual({ written: 4, lastLine: 8 });
  });

  test('that fails as the report does, the error of the log is thrown', async () => {
    const { error, output } = await writeThree([{ standing: 1, error: FULL }], [{ standing: 0, error: new Error('report') }]);
    expect(error).toBe(FULL);
    expect(output.written).toBe(2);
  });

  test('that the report cannot follow, the error of the report is thrown, and the log stands', async () => {
    const { error, output } = await writeThree([], [{ standing: 0, error: FULL }]);
    expect(error).toBe(FULL);
    expect(output.written).toBe(6);
  });

  test('the output may recover as the log may', () => {
    for (const mayRecover of [true, false])
      expect(new ReportedOutput(new HeldOutput([], mayRecover), SPECIFIED).mayRecover).toBe(mayRecover);
  });
});

test.each([
  [{}, {}, 'no faults'],
  [{ late: 1 }, {}, '1 fault: 1 late'],
  [{ late: 1, torn: 20 }, {}, '21 faults: 20 torn, 1 late'],
  [{ torn: 2 }, { late: 3, interleave: 1 }, '2 faults: 2 torn; rate not reached: no suitable group for 3 late, 1 interleave'],
])('%j and %j are described as %s', (counts, unplaced, text) => {
  expect(describeFaults(counts, unplaced)).toBe(text);
});
