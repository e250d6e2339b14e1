import { describe, expect, test } from '@jest/globals';
import { OBSERVED_TARGETS, readWeightedTargets } from '../../../src/requests/synth/weighted-targets.js';
import { chunksOf } from '../../support/bytes.js';

function read(list: string): ReturnType<typeof readWeightedTargets> {
  return readWeightedTargets(chunksOf(list), 't.csv');
}

describe('readWeightedTargets', () => {
  test.each([
    ['/a,1\n/b,0.5\n', ['GET /a 1', 'GET /b 0.5']],
    ['/a,1,POST\n/b,0,\n', ['POST /a 1', 'GET /b 0']],
    ['\xef\xbb\xbf# c\r\n\r\nWeight,other,Target\r\n7,x,/a\r\n', ['GET /a 7']],
    ['http_method,request_target,weight\nHEAD,"/a,""b""",3', ['HEAD /a,"b" 3']],
    ['/\xff,1', ['GET /\xff 1']],
  ])('%j', async (list, targets) => {
    const shown = (await read(list)).map(({ method = 'GET', target, weight }) => `${method} ${target} ${String(weight)}`);
    expect(shown).toEqual(targets);
  });

  test.each<[list: string, message: string]>([
    ['', 't.csv: no target has a weight above 0; give rows of request_target,weight'],
    ['/a,0\n', 't.csv: no target has a weight above 0; give rows of request_target,weight'],
    ['/a,1\n/b,many\n', 't.csv:2: weight "many" (column 2) is not a weight; give a number from 0 on, such as 3 or 0.5'],
    ['/a,1e3\n', 't.csv:1: weight "1e3" (column 2) is not a weight; give a number from 0 on, such as 3 or 0.5'],
    [
      '/a b,1\n',
      't.csv:1: request_target "/a b" (column 1) holds a space or a control character; percent-encode it (a space is %20)',
    ],
    [
      'name,share\n',
      't.csv:1: weight "share" (column 2) is not a weight, and the row is not a header that names request_target, weight and http_method; give a number from 0 on, such as 3 or 0.5',
    ],
    ['target,weight,weight\n', 't.csv:1: the header names weight twice (columns 2 and 3); keep one of them'],
    [
      '{"request_target": "/a", "weight": 1}\n',
      "t.csv:1: it is a line of JSON; convert it to CSV, such as with jq -r '[.request_target, .weight] | @csv'",
    ],
  ])('refuses %j', async (list, message) => {
    await expect(read(list)).rejects.toThrow(expect.objectContaining({ message }));
  });
});

test('2.4 there are twelve observed targets', () => {
  expect(new Set(OBSERVED_TARGETS.map(({ target }) => target)).size).toBe(12);
});
