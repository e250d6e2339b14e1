import { describe, expect, test } from '@jest/globals';
import { createDeployment, formatFault, injectFaults, renderGroups, type FaultDetails } from '../../src/index.js';
import { encodeText } from '../../src/log/byte-string.js';
import { breakLog, requestsAt, forEachKind } from '../support/broken-log.js';
import { collect } from '../support/bytes.js';
import { explainBrokenLog } from '../support/explain.js';

const SITE = createDeployment();
const REQUESTS = requestsAt(2000, [0, 400, 3000, 100]);

describe('injectFaults', () => {
  test('gives the log and its faults in stretches, each with its own faults', async () => {
    const stretches = await collect(injectFaults([REQUESTS], SITE, { rates: { all: 0.05, torn: 0.2, crlf: 0 }, seed: 3 }));
    expect(stretches.length).toBeGreaterThan(30);
    let line = 1;
    for (const { bytes, faults } of stretches) {
      const end = line + bytes.toString('latin1').split('\n').length - 1;
      // A record that is missing at the end of a stretch is one before the first line of the next.
      for (const fault of faults) expect(fault.line >= line && fault.line + fault.lines <= end).toBe(true);
      line = end;
    }
    const log = Buffer.concat(stretches.map(({ bytes }) => bytes)).toString('latin1');
    const faults = stretches.flatMap((stretch) => stretch.faults);
    expect(new Set(faults.map(({ details }) => details.kind)).size).toBe(9);
    explainBrokenLog(REQUESTS, SITE, log, faults.map((fault) => formatFault(fault, SITE)).join(''));
  });

  test('is --faults: the same seed and rates break the same log in the same way; the default seed is 1', async () => {
    const rates = { late: 0.1, foreign: 0.1 };
    const stretches = await collect(injectFaults([REQUESTS], SITE, { rates }));
    const { log } = await breakLog(REQUESTS, { rates: { ...forEachKind(0), ...rates }, seed: 1 });
    expect(Buffer.concat(stretches.map(({ bytes }) => bytes)).toString('latin1') === log).toBe(true);
  });

  test('without rates is renderGroups', async () => {
    const stretches = await collect(injectFaults([REQUESTS], SITE, { rates: {} }));
    expect(stretches.every(({ faults }) => faults.length === 0)).toBe(true);
    const clean = Buffer.concat(await collect(renderGroups([REQUESTS], SITE)));
    expect(Buffer.concat(stretches.map(({ bytes }) => bytes)).equals(clean)).toBe(true);
  });

  test('takes records of its caller', async () => {
    const [stretch] = await collect(
      injectFaults([REQUESTS.slice(0, 1)], SITE, { rates: { foreign: 1 }, foreignRecords: ['[of] my own\nin two lines'] }),
    );
    expect(stretch?.bytes.toString('latin1').endsWith('\n[of] my own\nin two lines\n')).toBe(true);
    expect(stretch?.faults).toMatchObject([{ line: 9, lines: 2, details: { kind: 'foreign' } }]);
  });

  test.each([
    [{ rates: { torn: -0.1 } }, 'the rate of torn is not from 0 to 1'],
    [{ rates: { all: NaN } }, 'the rate of all is not from 0 to 1'],
    [{ rates: { all: 0.2 } }, 'the sum of the rates is more than 1; a group has at most one fault'],
    [{ rates: {}, seed: 0.5 }, 'the seed is not a whole number of at most 15 digits'],
    [{ rates: {}, foreignRecords: [] }, 'options.foreignRecords is empty'],
  ])('refuses %j', async (options, message) => {
    await expect(collect(injectFaults([], SITE, options))).rejects.toThrow(new RangeError(message));
  });
});

const REQUEST = { millisecond: 1_747_562_400_999, method: 'GET', target: '/mail/' };
const SHOWN = '{"timestamp":"2025-05-18T12:00:00+02:00","method":"GET","target":"/mail/"}';

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
    expect(formatFault({ line: 7, lines: 1, request: REQUEST, details }, SITE)).toBe(
      `{"kind":"${details.kind}","line":7,"lines":1,"request":${SHOWN}${more}}\n`,
    );
  });

  test('has the bytes of a target that is not UTF-8', () => {
    const request = { ...REQUEST, target: '/\xc5' };
    const line = formatFault({ line: 1, lines: 1, request, details: { kind: 'missing' } }, SITE);
    expect(line).toContain('"target":"/\ufffd","target_base64":"L8U="}');
  });
});
