import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord, RecordReader } from '../../src/log/line.js';

const NOON = Date.UTC(2025, 4, 18, 10);
const SPECIFIED = createDeployment();
const PHP = createDeployment({ installRoot: '/srv/mail', dialect: 'php' });
const TAGGED = createDeployment({ runtimeTag: '<abcdefgh>' });
/** More plugins than texts are remembered. */
const MANY = createDeployment({ plugins: Array.from({ length: 20 }, (_, index) => `plugin_${String(index)}`) });

/** The lines of a group. */
function linesOf(site: Deployment, second: number, target: string, method = 'GET'): readonly string[] {
  return formatGroup({ millisecond: NOON + second * 1000, method, target }, site)
    .trimEnd()
    .split('\n');
}

/** A line of a group, and the same line with a part of it replaced. */
const line = fc
  .tuple(
    fc.constantFrom(SPECIFIED, PHP, MANY, TAGGED),
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom('GET', 'POST'),
    fc.constantFrom('/', '/mail/', '/(GET /)', '/\xff'.repeat(3000)),
    fc.nat(),
    fc.constantFrom('', '', '', ' ', ')', '(', '\r', '\x01', 'x'),
    fc.nat(),
    fc.constantFrom('', '', '<m050aivd> ', '<a,b> ', '<a> <b> ', '<PHP> ', `<${'x'.repeat(300)}> `),
  )
  .map(([site, second, method, target, choice, inserted, place, session]) => {
    const lines = linesOf(site, second, target.replace(' ', ''), method);
    const text = (lines[choice % lines.length] ?? '').replace(']: ', `]: ${session}`);
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
  const [first = ''] = linesOf(SPECIFIED, 0, '/mail/');
  const reader = new RecordReader();
  expect(reader.read(first)).toEqual(parseRecord(first));
  expect(reader.read(first.replace('GET /mail/)', descriptor))).toBeUndefined();
});

test('RecordReader gives the same object for a deprecation record that is read again', () => {
  const [end = '', other = ''] = [0, 1].map((second) => linesOf(SPECIFIED, second, '/')[7]);
  const reader = new RecordReader();
  expect(reader.read('')).toBeUndefined();
  const first = reader.read(end);
  expect(first).toEqual(parseRecord(end));
  expect(reader.read(end)).toBe(first);
  expect(reader.read(other)).toEqual(parseRecord(other));
  expect(reader.read(end)).not.toBe(first);
});
