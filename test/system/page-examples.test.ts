import { expect, test } from '@jest/globals';
import { runExamples } from '../support/page-examples.js';
import { DOCS } from '../support/pages.js';

const PAGES = DOCS.filter(({ path, blocks }) => path !== 'README.md' && blocks.some(({ language }) => language === 'console'));

test.each(PAGES)('the examples of $path print what it shows, one after the other', async (page) => {
  const { printed, shown } = await runExamples(page);
  expect(printed).toEqual(shown);
});

test('the pages are those of docs/', () => {
  expect(PAGES.length).toBeGreaterThan(8);
});
