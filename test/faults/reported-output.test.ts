import { describe, expect, test } from '@jest/globals';
import { ReportedOutput } from '../../src/faults/fault-report.js';
import { createDeployment } from '../../src/log/deployment.js';
import { Chunk } from '../../src/output/chunk.js';
import { HeldOutput, type Outcome } from '../support/held-output.js';

const FULL = new Error('no space left');
const REQUEST = { millisecond: 1_747_562_400_000, method: 'GET', target: '/mail/' };

/** Writes three pieces of two groups each, of which each second one has a fault, to a log and a report whose fate is planned. */
async function writeThree(logPlan: Outcome[], reportPlan: Outcome[]) {
  const log = new HeldOutput(logPlan);
  const lines = new HeldOutput(reportPlan, true, 'fault');
  const output = new ReportedOutput(log, createDeployment(), lines);
  const chunk = new Chunk();
  for (const [index, line] of [7, 8, 9].entries()) {
    output.add({ line, lines: 1, request: REQUEST, details: { kind: 'late' } }, 2 * (index + 1));
    chunk.add({ bytes: Buffer.from('records\n'), count: 2, origin: { line } });
  }
  const error: unknown = await output.write(chunk).then(
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
    expect({ written: output.written, lastLine: output.lastLine, noun: output.noun }).toEqual({
      written: 6,
      lastLine: 9,
      noun: 'group',
    });
  });

  test('of which a part stands, the report holds the faults of that part', async () => {
    const { error, output, reported } = await writeThree([{ standing: 2, error: FULL }], []);
    expect(error).toBe(FULL);
    expect(reported).toEqual([7, 8]);
    expect({ written: output.written, lastLine: output.lastLine }).toEqual({ written: 4, lastLine: 8 });
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
      expect(new ReportedOutput(new HeldOutput([], mayRecover), createDeployment()).mayRecover).toBe(mayRecover);
  });
});
