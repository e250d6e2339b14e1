import { describe, expect, test } from '@jest/globals';
import { FAULT_KINDS, parseFaultRates } from '../../src/faults/kinds.js';
import { CallError } from '../../src/errors.js';
import { forEachKind } from '../support/broken-log.js';

const NONE = forEachKind(0);

describe('rates of faults', () => {
  test.each([
    ['torn:0.01', { ...NONE, torn: 0.01 }],
    ['torn:0.01,late:0.5', { ...NONE, torn: 0.01, late: 0.5 }],
    ['all:0.1', forEachKind(0.1)],
    ['all:0', NONE],
    ['all:0.01,late:0', { ...forEachKind(0.01), late: 0 }],
    ['late:0.2,all:0.01', { ...forEachKind(0.01), late: 0.2 }],
    ['missing:1', { ...NONE, missing: 1 }],
    ['missing:1e-3,crlf:.5,garbage:0.', { ...NONE, missing: 0.001, crlf: 0.5 }],
  ])('%s', (text, rates) => {
    expect(parseFaultRates('--faults', text)).toEqual(rates);
  });

  test.each([
    [
      '',
      '"" is not a kind of fault; give one of torn, missing, duplicate, swapped, altered, late, interleave, foreign, garbage, crlf, all',
    ],
    ['torn:0.1,', '"" is not a kind of fault; '],
    ['tear:0.1', '"tear" is not a kind of fault; '],
    [' torn:0.1', '" torn" is not a kind of fault; '],
    ['constructor:0.1', '"constructor" is not a kind of fault; '],
    ['torn:0.1,late:0.1,torn:0.2', '"torn" is given twice; give each kind once'],
    ['all:0.1,all:0.1', '"all" is given twice; give each kind once'],
    ...['torn:', 'torn:-0.1', 'torn:1.01', 'torn:5%', 'torn:0.1:0.1', 'torn:Infinity'].map(
      (rate) => [rate, `"${rate}" is not a rate from 0 to 1; give a number, as in torn:0.01`] as const,
    ),
    ['torn', '"torn" has no rate; give a rate, as in torn:0.01'],
    ['all:0.11', '"all:0.11" is 1.1 in total, more than 1; a group has at most one fault; lower the rates to a sum of at most 1'],
    ['torn:0.6,late:0.6', '"torn:0.6,late:0.6" is 1.2 in total, more than 1; '],
  ])('%j is refused: %s', (text, message) => {
    expect(() => parseFaultRates('--faults', text)).toThrow(CallError);
    expect(() => parseFaultRates('--faults', text)).toThrow(`--faults: ${message}`);
  });

  test('that come to 1 in decimals are not more than 1 in binary', () => {
    const text = FAULT_KINDS.slice(0, 6).map(
      (kind, index) => `${kind}:${['0.1', '0.2', '0.3', '0.15', '0.2', '0.05'][index] ?? ''}`,
    );
    expect(parseFaultRates('--faults', text.join(',')).torn).toBe(0.1);
  });
});
