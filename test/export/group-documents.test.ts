import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { placesIn } from '../../src/export/document-form.js';
import { DOCUMENTS, DOCUMENT_FORMS, type DocumentFormName } from '../../src/export/forms.js';
import { renderDocuments } from '../../src/export/render-documents.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { LogFiles } from '../../src/reading/log-files.js';
import { readLoggedLines } from '../../src/reading/parse.js';
import { deployment, method, target } from '../support/arbitraries.js';
import { chunksOf, collect } from '../support/bytes.js';

/** A file of a log: a byte string, and where it is cut into chunks. */
interface CutFile {
  readonly log: string;
  readonly cuts: readonly number[];
}

function logOf(files: readonly CutFile[]): LogFiles {
  return new LogFiles(files.map(({ log, cuts }, index) => ({ source: `ż ${String(index)}.log`, chunks: chunksOf(log, cuts) })));
}

/** The input pauses behind its first chunk: the plugins are known from there on, and groups can be matched whole. */
function pauseOnce(): () => boolean {
  let chunks = 0;
  return () => {
    chunks += 1;
    return chunks > 1;
  };
}

/** All documents of a log, each formatted by itself. */
async function formatEach(files: readonly CutFile[], name: DocumentFormName): Promise<string> {
  const log = logOf(files);
  const places = placesIn(log);
  const batches = await collect(readLoggedLines(log, { hasMore: pauseOnce() }));
  return batches.flatMap((batch) => batch.map((logged) => DOCUMENTS[name].form.format(logged, places(logged.line)))).join('');
}

/** All documents of a log, those of whole groups from templates where there are any, and the number of such groups. */
async function renderAll(files: readonly CutFile[], name: DocumentFormName): Promise<{ text: string; templated: number }> {
  const pieces: { text: string; count: number }[] = [];
  for await (const batch of renderDocuments(logOf(files), name, true, { hasMore: pauseOnce() }))
    for (const { bytes, count } of batch) pieces.push({ text: Buffer.from(bytes).toString(), count });
  return { text: pieces.map(({ text }) => text).join(''), templated: pieces.filter(({ count }) => count > 1).length };
}

describe.each(DOCUMENT_FORMS)('%s: groups that have a template', (name) => {
  const SITE = createDeployment({ installRoot: '/żółw_"1"' });
  const toRoot = (): string => '/';

  /** A hundred groups, a minute apart, on the lines 1 to 800. The first is read before the plugins are known. */
  function hundred(
    targetOf: (index: number) => string,
    methodOf: (index: number) => string = () => 'GET',
    change: (group: string, index: number) => string = (group) => group,
  ): readonly CutFile[] {
    // Half an hour before the clocks of Warsaw go forward.
    const from = 1_743_294_600;
    const groups = Array.from({ length: 100 }, (_, index) =>
      change(
        formatGroup({ millisecond: (from + 60 * index) * 1000, method: methodOf(index), target: targetOf(index) }, SITE),
        index,
      ),
    );
    return [{ log: groups.join(''), cuts: [groups[0]?.length ?? 0] }];
  }

  /** The same log in two files, cut where the file is cut into chunks. */
  function splitFile([file]: readonly CutFile[]): readonly CutFile[] {
    const { log = '', cuts: [end = 0] = [] } = file ?? {};
    return [log.slice(0, end), log.slice(end)].map((part) => ({ log: part, cuts: [] }));
  }

  test.each([
    // All but the first, and those whose lines have numbers of different lengths: 9 to 16 and 97 to 104.
    ['one target', hundred(() => '/mail/'), 97],
    ['targets of many lengths', hundred((index) => `/?_uid=${String(2 ** index)}#${'x'.repeat(index)}`), 97],
    ['one target, and another file from the second group on', splitFile(hundred(() => '/mail/')), 95],
    ['a target of 1023 bytes', hundred(() => `/${'x'.repeat(1022)}`), 97],
    ['a target of 1024 bytes', hundred(() => `/${'x'.repeat(1023)}`), 0],
    ['a target in absolute-form', hundred(() => 'http://h/'), 0],
    ['every second target is one that JSON escapes', hundred((index) => (index % 2 === 0 ? '/"' : '/')), 49],
    ['a target that is not ASCII', hundred(() => '/\xc5\xbc'), 0],
    ['a method that JSON escapes', hundred(toRoot, () => 'G"T'), 97],
    ['a method that is not UTF-8: whole lines stand in base64', hundred(toRoot, () => 'G\xff'), name === 'records' ? 97 : 0],
    [
      'session ids of their own',
      hundred(toRoot, undefined, (group, index) =>
        group.replaceAll(']: PHP', `]: <${(1000 + index).toString(36).padStart(8, 'v')}> PHP`),
      ),
      97,
    ],
    ['twenty methods', hundred(toRoot, (index) => `M${String(index % 20)}`), 97],
  ])('%s', async (_what, files, templated) => {
    const rendered = await renderAll(files, name);
    expect(rendered.templated).toBe(templated);
    expect(rendered.text).toBe(await formatEach(files, name));
  });

  test.each([
    ['short', '/r', 1],
    ['long', `/${'r'.repeat(2000)}`, 0],
  ])('three hundred plugins with %s paths', async (_what, installRoot, templated) => {
    const plugins = Array.from({ length: 300 }, (_, index) => String(index));
    const site = createDeployment({ installRoot, plugins });
    const group = formatGroup({ millisecond: 1e12, method: 'GET', target: '/' }, site);
    const files = [{ log: group.repeat(2), cuts: [group.length] }];
    const rendered = await renderAll(files, name);
    expect(rendered.templated).toBe(templated);
    expect(rendered.text === (await formatEach(files, name))).toBe(true);
  });
});

describe.each(DOCUMENT_FORMS)('%s: templates give the documents that are formatted one by one', (name) => {
  const moment = fc.oneof(
    // The changes of the clocks in autumn and spring; ten digits, the last second of OTLP; the ends of the time that matchers take.
    fc.constantFrom(1_761_440_400, 1_743_296_400, 1_000_000_000, 18_446_744_073, 2 * 86_400, 253_402_041_600),
    fc.integer({ min: 0, max: 7_258_118_400 }),
  );
  const piece = fc.record({
    /** The seconds since the piece before. */
    gap: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 90_000 })),
    method: fc.oneof({ weight: 9, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: method }),
    target: fc.oneof(
      fc.constantFrom('/mail/', '/poczta/', '/poczta/?_task=login', '/?', '/#', '/a?b#c', '/a?#', '/a#?b'),
      fc.nat(2000).map((length) => `/mail/?_uid=${'7'.repeat(length)}`),
      target,
    ),
    session: fc.constantFrom('', '', 'm050aivd', '6cb032a1', '77777777', 'x,-'),
    break: fc.oneof(
      { weight: 8, arbitrary: fc.constant('none') },
      fc.constantFrom('no first record', 'no last record', 'a foreign line behind', 'the next file'),
    ),
  });
  const setting = fc.record({
    site: deployment,
    start: moment,
    /** Foreign lines at the beginning, so that the numbers of the lines behind them grow by a digit. */
    before: fc.constantFrom(0, 5, 93, 985),
    pieces: fc.array(piece, { maxLength: 30 }),
    repeats: fc.integer({ min: 1, max: 4 }),
    cuts: fc.array(fc.nat(60_000), { maxLength: 6 }),
  });
  const log = setting.map(({ site, start, before, pieces, repeats, cuts }) => {
    const first = formatGroup({ millisecond: start * 1000, method: 'GET', target: '/mail/' }, site);
    const logs = [first + 'x\n'.repeat(before)];
    let second = start;
    for (const { gap, session, break: fault, ...descriptor } of Array<typeof pieces>(repeats).fill(pieces).flat()) {
      second = Math.min(second + gap, 253_402_300_799 - 86_400);
      let group = formatGroup({ millisecond: second * 1000, ...descriptor }, site);
      if (session !== '') group = group.replaceAll(']: ', `]: <${session}> `);
      if (fault === 'no first record') group = group.slice(group.indexOf('\n') + 1);
      if (fault === 'no last record') group = group.slice(0, group.lastIndexOf('\n', group.length - 2) + 1);
      if (fault === 'a foreign line behind') group += '[18-May-2025 12:00:00 +0200]: <ccea4a68> DB Error: \xff\n';
      if (fault === 'the next file' && logs.length < 4) logs.push('');
      logs.push((logs.pop() ?? '') + group);
    }
    return logs.map((text, index) => ({ log: text, cuts: index === 0 ? [first.length, ...cuts] : cuts }));
  });

  test('any log', async () => {
    await fc.assert(
      fc.asyncProperty(log, async (files) => {
        expect((await renderAll(files, name)).text).toBe(await formatEach(files, name));
      }),
      { numRuns: 12 },
    );
  });
});
