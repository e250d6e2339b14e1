import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DescriptorReader } from '../../src/reading/descriptor-reader.js';

const LONG = '/'.repeat(1000);

function read(reader: DescriptorReader, text: string): object | undefined {
  const found = reader.read(Buffer.from(`(${text}`, 'latin1'), 1);
  return found && { method: found.method, target: found.target };
}

test.each([
  ['a descriptor', 'GET /mail/)\n', { method: 'GET', target: '/mail/' }],
  ['bytes that are not ASCII', 'GET /\xe9\xff)\n', { method: 'GET', target: '/\xe9\xff' }],
  ['parentheses in the target', 'GET /())\n', { method: 'GET', target: '/()' }],
  ['a long target', `GET ${LONG})\n`, { method: 'GET', target: LONG }],
  ['no parenthesis', 'GET /mail/\n', undefined],
  ['a CR', 'GET /mail/)\r\n', undefined],
  ['no LF', 'GET /mail/)', undefined],
  ['a long target without LF', `GET ${LONG})`, undefined],
  ['no target', 'GET )\n', undefined],
  ['no method', ' /mail/)\n', undefined],
  ['no blank', 'GET/mail/)\n', undefined],
  ['a blank in the target', 'GET /a b)\n', undefined],
  ['a control character', 'GET /\x7f)\n', undefined],
  ['nothing', '', undefined],
])('DescriptorReader: %s', (_what, text, expected) => {
  const reader = new DescriptorReader();
  expect([read(reader, text), read(reader, text)]).toEqual([expected, expected]);
});

test('DescriptorReader gives of a descriptor the same whatever descriptors came before', () => {
  // `Aa` and `BB` have the same hash: they share a slot of the cache.
  const part = fc.constantFrom('Aa', 'BB', 'a', ' ', ')', '\x7f');
  const text = fc.array(part, { maxLength: 4 }).map((parts) => `GET /${parts.join('')})\n`);
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
      const reader = new DescriptorReader();
      const found = texts.map((each) => read(reader, each));
      expect(found).toEqual(texts.map((each) => read(new DescriptorReader(), each)));
    }),
  );
});
