import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../support/pages.js';
import { PROJECT, runNode } from '../support/run.js';

const picture = readFileSync(join(PROJECT, 'docs/session.svg'), 'utf8');

/** A canary's times, counts of bytes and targets differ from run to run, and so do the widths of their lines and where these are cut. */
function withoutChance(svg: string): string {
  return svg
    .replaceAll(/\d+(?:\.\d+)?/g, '0')
    .replaceAll(/(?<=canary.*)\/(?:mail|poczta|webmail)\/[^<…]*/g, '')
    .replaceAll(/(?<=records took 0 ms).*…/g, '…');
}

test('the picture is that of its commands: npm run picture makes it anew', async () => {
  const { exit, stdout, stderr } = await runNode(['test/picture/session.js'], { cwd: PROJECT });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(withoutChance(Buffer.from(stdout, 'latin1').toString('utf8'))).toBe(withoutChance(picture));
});

test('README.md shows the picture, with words for those who do not see it; it loads and runs nothing, and is light and dark', () => {
  expect(readPage('README.md').text).toMatch(/!\[[^\]]{60,}\]\(docs\/session\.svg\)/);
  expect(picture).toMatch(/role="img" aria-labelledby="title"[^>]*>\n<title id="title">[^<]{30,}<\/title>/);
  expect(picture).not.toMatch(/<(?:script|image|use|foreignObject|a)\b|href|url\(|@import|\son\w+=/);
  expect(picture).toContain('@media (prefers-color-scheme: dark)');
});
