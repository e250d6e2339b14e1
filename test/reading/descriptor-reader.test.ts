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

test('DescriptorReader remembers a descriptor: reading it again makes no other object', () => {
  const reader = new DescriptorReader();
  const texts = Array.from({ length: 500 }, (_, index) => `GET /${String(index)})\n`);
  const readAll = (): object[] => texts.flatMap((each) => reader.read(Buffer.from(each), 0) ?? []);
  readAll();
  const before = new Set(readAll());
  // Two descriptors may share a slot of the cache, where the first one stays.
  expect(readAll().filter((descriptor) => before.has(descriptor)).length).toBeGreaterThan(400);
});

test.each([
  [256, true],
  [257, false],
])('DescriptorReader: a descriptor of %d bytes is remembered: %p', (length, isRemembered) => {
  const reader = new DescriptorReader();
  const block = Buffer.from(`(${'GET /'.padEnd(length - 1, 'x')})\n`);
  expect(reader.read(block, 1)?.target).toHaveLength(length - 5);
  expect(reader.read(block, 1) === reader.read(block, 1)).toBe(isRemembered);
});

test('DescriptorReader does not change what it remembers with the block that it was read from', () => {
  const reader = new DescriptorReader();
  const block = Buffer.from('GET /Aa)\n');
  expect(reader.read(block, 0)).toMatchObject({ target: '/Aa' });
  // The same slot of the cache.
  block.write('BB', 5);
  expect(reader.read(block, 0)).toMatchObject({ target: '/BB' });
  block.write('Aa', 5);
  expect(reader.read(block, 0)).toMatchObject({ target: '/Aa' });
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
