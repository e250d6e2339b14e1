import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkByRule } from '../../../src/check/check.js';
import { DataError } from '../../../src/errors.js';
import { createDeployment } from '../../../src/log/deployment.js';
import { LogFiles } from '../../../src/reading/log-files.js';
import { countLog } from '../../../src/stats/count-log.js';
import { formatPage, type PageCheck } from '../../../src/stats/page/format-page.js';
import { STYLE_SHEET } from '../../../src/stats/page/style-sheet.js';
import { chunksOf } from '../../support/bytes.js';
import { placesIn } from '../../support/places.js';
import { request } from '../../support/arbitraries.js';
import { groupAt, SECOND } from '../../support/records.js';
import { readHtml, textOf, type Element } from '../../support/html.js';

const site = createDeployment();

/** The log of requests for some targets, ten minutes apart. */
const write = (targets: readonly string[]): string => targets.map((target, at) => groupAt(SECOND + 600 * at, target)).join('');

/** The page of a log, with what the check of the log finds. */
async function pageOf(log: string, { name = 'x.log', unchecked }: { name?: string; unchecked?: string } = {}): Promise<string> {
  const files = new LogFiles([{ source: name, chunks: chunksOf(log) }]);
  const check: PageCheck = { deployment: site, rules: await checkByRule(files, { deployment: site, hasSessions: false }, 3) };
  return formatPage(await countLog(chunksOf(log)), placesIn(name), unchecked ?? check);
}

const elementsOf = async (...log: Parameters<typeof pageOf>): Promise<readonly Element[]> => readHtml(await pageOf(...log));

const textsOf = (elements: readonly Element[], tag: string): readonly string[] =>
  elements.filter((element) => element.tag === tag).map(textOf);

/** The rows of the table in a section, as the texts of their cells. */
const rowsOf = (elements: readonly Element[], section: string): readonly (readonly string[])[] =>
  elements
    .filter(({ tag, path }) => tag === 'tr' && path.includes(`section[${section}]`) && path.includes('tbody'))
    .map(({ children }) => children.map(textOf));

describe('formatPage', () => {
  test('its sections, for a log that has all of them', async () => {
    const log = `${write(['/mail/', '/mail/', '/poczta/'])}[x] message 17 of it\nx\n`;
    const elements = await elementsOf(log.replace('on line 193', 'on line 7'));
    expect(textsOf(elements, 'h1')).toEqual(['x.log']);
    const headings = 'Requests over time, Requests by target, Foreign messages, Compared with the specification, In numbers';
    expect(textsOf(elements, 'h2').join(', ')).toBe(headings);
    expect(textsOf(elements, 'li').slice(0, 4)).toEqual(['3 requests', '24 records', '2 foreign lines', '1 violation']);
    expect(rowsOf(elements, 'targets')).toEqual([
      ['/mail/', '2', '66.7 %'],
      ['/poczta/', '1', '33.3 %'],
    ]);
    expect(rowsOf(elements, 'findings')).toEqual([
      ['foreign 2.1, 2.2, 6', '2'],
      [
        'x.log:25found "[x] message 17 of it"expected a load-failure or a deprecation record ' +
          'x.log:26found "x"expected a load-failure or a deprecation record',
      ],
      ['line-number 2.1, 2.2, 7', '1'],
      ['x.log:1found 7expected 193'],
    ]);
    expect(rowsOf(elements, 'messages')).toEqual([['[x] message * of it', '1']]);
    expect(textsOf(elements, 'dt')).toContain('peak minute');
  });

  test('rules are in the order of their counts, and say how many violations are not shown', async () => {
    const elements = await elementsOf(`${write(['/'])}x\n${write(['/']).replaceAll('on line 193', 'on line 7')}`);
    expect(rowsOf(elements, 'findings').filter(({ length }) => length === 2)).toEqual([
      ['line-number 2.1, 2.2, 7', '7'],
      ['foreign 2.1, 2.2, 6', '1'],
    ]);
    const many = await elementsOf(`${write(['/'])}${'x\n'.repeat(1003)}`);
    expect(textsOf(many, 'li').at(-1)).toBe('and 1,000 more');
    expect(textsOf(many, 'caption')[0]).toMatch(/^1,003 messages in 1,003 foreign lines: a message may have several lines\./);
  });

  test('the counts of foreign lines, messages, incomplete groups and violations are explained where they differ', async () => {
    const elements = await elementsOf(`${write(['/'])}[x] message\nof two lines\n${write(['/'])}`.replace('\n', '\r\n'));
    expect(textsOf(elements, 'li')).toContain('3 foreign lines');
    expect(textsOf(elements, 'caption')[0]).toMatch(/^2 messages in 3 foreign lines: /);
    expect(textsOf(elements, 'p').slice(2)).toEqual([
      '2 of the 3 foreign lines count as foreign, the others under a rule that says more, such as ending.',
      '0 of the 1 incomplete group count as incomplete, the others under a rule that says more, such as path.',
      'The head of this page does not count violations of foreign: an ordinary log of a busy server has them.',
    ]);
  });

  test('a message that is not text is cut to two lines', async () => {
    const elements = await elementsOf(`${write(['/'])}${'\xff'.repeat(200)}\n`);
    expect(rowsOf(elements, 'messages')).toEqual([[`${'\\xff'.repeat(49)}\\xf…`, '1']]);
    expect(textsOf(elements, 'code').every((text) => text.length <= 200)).toBe(true);
  });

  test.each([
    ['an empty log', '', 'In numbers'],
    ['a log of other messages', 'x\n', 'Foreign messages, In numbers'],
    ['a group that is not complete', write(['/']).split('\n').slice(7).join('\n'), 'Compared with the specification, In numbers'],
  ])('%s has only the sections that there is something for', async (_what, log, headings) => {
    const elements = await elementsOf(log, log.includes('[') ? { unchecked: 'the log holds no complete group' } : {});
    expect(textsOf(elements, 'h2').join(', ')).toBe(headings);
    expect(textsOf(elements, 'p')[0]).toBe('No complete group');
    expect(textsOf(elements, 'li')).toHaveLength(3);
  });

  test.each([
    ['UTF-8', '/srv/żółć', '/srv/żółć'],
    ['long', `/${'x'.repeat(4000)}/end`, `/${'x'.repeat(119)}…${'x'.repeat(115)}/end`],
  ])('the installation that the log was compared with, %s', async (_what, installRoot, shown) => {
    const deployment = createDeployment({ installRoot, plugins: ['a'] });
    const counts = await countLog(chunksOf(write(['/'])));
    const page = formatPage(counts, placesIn('x.log'), { deployment, rules: [] });
    expect(textsOf(readHtml(page), 'p').slice(1)).toEqual([
      `The findings of check --infer. The installation is that of the log's own groups: ${shown}, Europe/Warsaw, 1 plugin.`,
      'No violations.',
    ]);
  });

  test('a log that could not be checked says why, and one that could be read only in part says so', async () => {
    const unchecked = await elementsOf(write(['/']), { unchecked: 'no deployment writes the first complete group' });
    expect(textsOf(unchecked, 'p')).toContain('Not checked: no deployment writes the first complete group.');
    const torn = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunksOf(write(['/mail/']));
      throw new DataError({ source: 'x.log' }, 'the gzip is <cut>', 'get all of it');
    };
    const page = formatPage(await countLog(torn()), placesIn('x.log'), { deployment: site, rules: [] });
    expect(textsOf(readHtml(page), 'p')).toContain('The log was read only in part: x.log: the gzip is <cut>; get all of it');
  });

  test('the table of the chart has every bucket, and the chart a bar for each that is not empty', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(100_000_000), { minLength: 1, maxLength: 60 }), async (gaps) => {
        let second = SECOND;
        const elements = await elementsOf(gaps.map((gap) => groupAt((second += gap))).join(''));
        const counts = rowsOf(elements, 'traffic').map(([, count]) => Number(count?.replaceAll(',', '')));
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(gaps.length);
        expect(counts.length).toBeLessThanOrEqual(168);
        const bars = elements.filter(({ tag, path }) => tag === 'rect' && path.includes('section[traffic]'));
        expect(bars).toHaveLength(counts.filter((count) => count > 0).length);
        for (const { attributes } of bars) {
          const lengthOf = (name: string): number => Number.parseFloat(attributes.get(name) ?? '');
          expect(Math.min(lengthOf('x'), lengthOf('y'), lengthOf('height') - 2)).toBeGreaterThanOrEqual(0);
          expect(lengthOf('x') + lengthOf('width')).toBeLessThanOrEqual(100);
          expect(lengthOf('y') + lengthOf('height')).toBeCloseTo(224, 0);
        }
      }),
      { numRuns: 15 },
    );
  });
});

/** Texts that would end an element, an attribute or a line, change the direction, or be no text at all. */
const HOSTILE = [
  '</style></script></title><script>alert(1)</script>',
  '"onload="alert(1)',
  "'><img/src=x/onerror=alert(1)>",
  '<!--',
  ']]>',
  '&lt;&#60;&amp;',
  '\xe2\x80\xae\xe2\x81\xa6',
  '\xc2\x85\xc2\xa0\xe2\x80\xa8',
  '\xff\xfe\x80',
  '${x}{{x}}',
];

describe('text from the log', () => {
  test.each(HOSTILE)('%j is text on the page, wherever it stands in the log', async (text) => {
    const shapeOf = async (start: string): Promise<unknown> => {
      const elements = await elementsOf(`${write([`/${start}`, '/b'])}[${start}\nb\n`, { name: start });
      return elements.map(({ tag, attributes }) => [tag, ...attributes.keys()]);
    };
    expect(await shapeOf(text)).toEqual(await shapeOf('a'));
  });

  test('a page is well formed, without scripts, addresses and invisible characters, whatever the log holds', async () => {
    const bytes = fc.uint8Array().map((line) => Buffer.from(line).toString('latin1'));
    const log = request.map(({ target }) => write([target]));
    const part = fc.oneof(bytes, fc.constantFrom(...HOSTILE), log);
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const page = await pageOf(parts.join('\n'));
        // `readHtml` refuses elements and attributes that are not those of a page.
        expect(readHtml(page).length).toBeGreaterThan(20);
        expect(page).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}](?<!\n)/u);
      }),
    );
  });

  test('a text is shown as it is, and what cannot be seen as an escape', async () => {
    const elements = await elementsOf(write(['/<b>&amp;"\'', '/\xff', '/\xe2\x80\xae', '/\xc5\xbc']));
    const targets = rowsOf(elements, 'targets').map(([target]) => target);
    expect(targets.toSorted()).toEqual(['/<b>&amp;"\'', '/\\u{202e}', '/\\xff', '/ż']);
  });

  test.each([
    ['ASCII', `/${'x'.repeat(100_000)}end`, /^\/x{100,}…x{100,}end$/],
    // Bytes of UTF-8 are cut at each place of a character.
    ...[0, 1, 2, 3].map((shift): [string, string, RegExp] => [
      `UTF-8 behind ${String(shift)} bytes`,
      `/${'a'.repeat(shift)}${'\xf0\x9f\x93\xa7'.repeat(1100)}\xc5\xbc${'\xe2\x82\xac'.repeat(700)}`,
      /^\/a{0,3}📧+…€+$/u,
    ]),
  ])('a long target is cut in its middle: %s', async (_what, target, shape) => {
    const [[shown = ''] = []] = rowsOf(await elementsOf(write([target])), 'targets');
    expect(shown).toMatch(shape);
    expect(shown.length).toBeLessThanOrEqual(240);
  });
});

test('the policy of the page forbids all but the style sheet behind it, which loads nothing and ends no element', async () => {
  const [, policy = '', style = ''] =
    /Content-Security-Policy" content="([^"]*)"[^]*<style>([^]*?)<\/style>/.exec(await pageOf(write(['/']))) ?? [];
  expect(style).toBe(STYLE_SHEET);
  const own = `sha256-${createHash('sha256').update(style).digest('base64')}`;
  expect(policy.replaceAll('&#39;', "'")).toBe(`default-src 'none'; style-src '${own}'; base-uri 'none'; form-action 'none'`);
  expect(STYLE_SHEET).not.toMatch(/url\(|@import|</);
});
