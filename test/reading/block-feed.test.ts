import { describe, expect, test } from '@jest/globals';
import { cutLines } from '../../src/lines.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { BlockFeed } from '../../src/reading/block-feed.js';
import { WholeGroupMatcher } from '../../src/reading/whole-group-matcher.js';
import { chunksOf } from '../support/bytes.js';

const SITE = createDeployment({ plugins: ['a', 'b'] });
const SECOND = 1_747_562_400_000;

/** A group of three records. */
function groupFor(target: string): string {
  return formatGroup({ millisecond: SECOND, method: 'GET', target }, SITE);
}

/** What is read of a log cut into chunks: `group /target` and `line 10 bytes`. */
async function readCut(log: string, cuts: readonly number[]): Promise<readonly string[]> {
  const matcher = new WholeGroupMatcher(SITE);
  const read: string[] = [];
  const feed = new BlockFeed({
    matchGroup: (block, at) => matcher.match(block, at, 1),
    addGroup: (group, block, at) => {
      expect(block.toString('latin1', at, at + group.byteLength)).toBe(groupFor(group.target));
      read.push(`group ${group.target}`);
    },
    addLine: (text, hasLf) => read.push(`line of ${String(text.length)}${hasLf ? '' : ' without LF'}`),
  });
  for await (const { bytes } of cutLines(chunksOf(log, cuts), { maxLineBytes: 1 << 20 })) {
    for (let at = feed.begin(bytes); at < bytes.length;) at = feed.next(bytes, at);
  }
  feed.end();
  return read;
}

describe('BlockFeed', () => {
  const log = ['/1', '/2', '/3'].map(groupFor).join('');
  const lineEnds = Array.from(log.matchAll(/\n/g), ({ index }) => index + 1);
  const [, oneLine = 0] = lineEnds;

  test.each([
    ['anywhere once', Array.from({ length: 40 }, (_, index) => [index * 37])],
    ['behind each line', [lineEnds]],
    ['everywhere', [Array.from({ length: log.length }, (_, index) => index)]],
  ])('puts groups together that are cut %s', async (_where, places) => {
    for (const cuts of places) expect(await readCut(log, cuts)).toEqual(['group /1', 'group /2', 'group /3']);
  });

  test('reads the lines of a group that does not go on, and the groups behind it', async () => {
    const [first = '', second = ''] = groupFor('/1').split(/(?<=\n)/);
    const lines = [first, second].map((line) => `line of ${String(line.length - 1)}`);
    for (const cut of [first.length, first.length + second.length]) {
      expect(await readCut(`${first}${second}${log}`, [cut])).toEqual([...lines, 'group /1', 'group /2', 'group /3']);
      expect(await readCut(`${first}${second}`, [cut])).toEqual(lines);
    }
  });

  test('does not wait for the rest of a line', async () => {
    const cut = log.slice(0, oneLine + 20);
    expect((await readCut(cut, [oneLine])).at(-1)).toBe('line of 20 without LF');
  });

  test('does not keep the beginning of a group that is longer than 64 KiB', async () => {
    const long = groupFor(`/${'x'.repeat(70_000)}`);
    const cut = long.indexOf('\n') + 1;
    expect(await readCut(long, [cut])).toHaveLength(3);
    expect(await readCut(long, [])).toHaveLength(1);
  });
});
