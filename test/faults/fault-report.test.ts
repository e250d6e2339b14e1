import { describe, expect, test } from '@jest/globals';
import { formatFault, type Fault, type FaultDetails } from '../../src/faults/fault.js';
import { createDeployment } from '../../src/log/deployment.js';
import { encodeText } from '../../src/log/byte-string.js';

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
