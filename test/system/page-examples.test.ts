import { expect, test } from '@jest/globals';
import { PAGES_WITH_CONSOLE, runExamples } from '../support/page-examples.js';

const PAGES = PAGES_WITH_CONSOLE.filter(({ path }) => path !== 'README.md');

test.each(PAGES)('the examples of $path print what it shows, one after the other', async (page) => {
  const { printed, shown } = await runExamples(page);
  expect(printed).toEqual(shown);
});

test('the pages are those of docs/', () => {
  expect(PAGES.length).toBeGreaterThan(8);
});
