import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatDeprecation, formatDescriptor, formatLoadFailure } from '../../src/log/record.js';
import { DEPRECATION, FAILURE } from '../support/records.js';

const STAMP = { timestamp: '18-May-2025 12:00:00', utcOffset: '+0200' };

test('2.1, 2.2 the records of a deployment; the php dialect has two spaces after "Deprecated:", as PHP writes them', () => {
  const site = createDeployment({ installRoot: '/r' });
  expect(formatLoadFailure(STAMP, 'carddav', 'GET /mail/', site)).toBe(FAILURE);
  expect(formatDeprecation(STAMP, site)).toBe(DEPRECATION);
  expect(formatDeprecation(STAMP, { ...site, dialect: 'php' })).toBe(DEPRECATION.replace('Deprecated: ', 'Deprecated:  '));
});

describe('formatDescriptor', () => {
  test('2.4 is method and target', () => {
    expect(formatDescriptor('GET', '/poczta/?x=)')).toBe('GET /poczta/?x=)');
  });

  test.each([
    ['GET', ''],
    ['', '/mail/'],
    ['GET', '/mail/\n'],
    ['GET', '/mail/\r'],
    ['GET', '/a b'],
    ['GET', '/\x7f'],
    ['GET', '/\x1b[31m'],
    ['GET', '/ż'],
    ['GE T', '/mail/'],
  ])('refuses %j %j, which could forge a record', (method, target) => {
    const message = 'a method or a target holds other than bytes 0x21 to 0xFF less 0x7F; percent-encode it, or encodeText it';
    expect(() => formatDescriptor(method, target)).toThrow(new RangeError(message));
  });
});
