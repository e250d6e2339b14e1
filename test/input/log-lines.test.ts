import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cutLogLines, recordOn } from '../../src/input/log-lines.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { MAX_RECORD_BYTES } from '../../src/log/record.js';
import { chunksOf } from '../support/bytes.js';

const RECORD = formatGroup({ millisecond: 0, method: 'GET', target: '/' }, createDeployment()).split('\n')[0] ?? '';

async function readLines(log: string, cuts: readonly number[], keepsMark = false): Promise<string> {
  let text = '';
  for await (const { bytes } of cutLogLines(chunksOf(log, cuts), { keepsMark })) text += bytes.toString('latin1');
  return text;
}

test('a byte order mark before the first line is passed over, wherever the chunks are cut; elsewhere it is part of a line', async () => {
  const mark = '\xef\xbb\xbf';
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(12)), async (cuts) => {
      const log = `ab\n${mark}c\n`;
      expect(await readLines(log, cuts)).toBe(log);
      expect(await readLines(mark + log, cuts)).toBe(log);
      expect(await readLines(mark + log, cuts, true)).toBe(mark + log);
    }),
  );
  expect(await readLines(mark, [])).toBe('');
  expect(await readLines('\xef\xbb', [1])).toBe('\xef\xbb');
});

test('a line is a record by itself alone, and up to the longest record', () => {
  expect(recordOn(RECORD)?.kind).toBe('load_failure');
  expect(recordOn(` ${RECORD}`)).toBeUndefined();
  expect(recordOn(RECORD.replace('GET /', `GET /${'x'.repeat(MAX_RECORD_BYTES)}`))).toBeUndefined();
});
