import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { RecordReader } from '../../src/log/record-reader.js';

const NOON = Date.UTC(2025, 4, 18, 10);
const SITES = [
  createDeployment(),
  createDeployment({ installRoot: '/srv/mail', dialect: 'php' }),
  // More plugins than texts are remembered.
  createDeployment({ plugins: Array.from({ length: 20 }, (_, index) => `plugin_${String(index)}`) }),
];

/** A line of a group, and the same line with a part of it replaced. */
const line = fc
  .tuple(
    fc.constantFrom(...SITES),
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom('GET', 'POST'),
    fc.constantFrom('/', '/mail/', '/(GET /)', '/\xff'.repeat(3000)),
    fc.nat(),
    fc.constantFrom('', '', '', ' ', ')', '(', '\r', '\x01', 'x'),
    fc.nat(),
  )
  .map(([site, second, method, target, choice, inserted, place]) => {
    const group = formatGroup({ millisecond: NOON + second * 1000, method, target: target.replace(' ', '') }, site);
    const lines = group.trimEnd().split('\n');
    const text = lines[choice % lines.length] ?? '';
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + inserted.length);
  });

test('RecordReader gives of each line what parseRecord gives, whatever lines came before', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const reader = new RecordReader();
      expect(lines.map((text) => reader.read(text))).toEqual(lines.map(parseRecord));
    }),
  );
});

test.each([
  ['no target', 'GET )'],
  ['no method', ' /mail/)'],
  ['no blank', 'GET/mail/)'],
  ['two blanks', 'GET /mail/ x)'],
  ['no parenthesis', 'GET /mail/'],
])('RecordReader takes a line with %s for no record, behind one with the same text', (_what, descriptor) => {
  const [first = ''] = formatGroup({ millisecond: NOON, method: 'GET', target: '/mail/' }, createDeployment()).split('\n');
  const reader = new RecordReader();
  expect(reader.read(first)).toEqual(parseRecord(first));
  expect(reader.read(first.replace('GET /mail/)', descriptor))).toBeUndefined();
});
