import { describe, expect, test } from '@jest/globals';
import type { CompareOptions } from '../../src/compare/options.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { briefly, compare, compareSources, logOf, sourceOf } from '../support/compared.js';

const LINES = ['/mail/?r=1', '/mail/?r=2&a', '/poczta/?q=caf\xe9'].flatMap((target, index) =>
  formatGroup({ millisecond: 1000 * index, method: 'GET', target }, createDeployment())
    .split('\n')
    .slice(0, -1),
);

/** The lines of a log in each envelope. */
const ENVELOPED = {
  docker: (line: string) => `{"log":"${line.replaceAll('&', '\\u0026')}\\n","stream":"stderr","time":"2025-05-18T10:00:00.5Z"}`,
  cri: (line: string) => `2025-05-18T10:00:00.123456789Z stderr F ${line}`,
  timestamps: (line: string) => `2025-05-18T10:00:00.123456789Z ${line}`,
  syslog: (line: string) => `May 18 12:00:00 webmail roundcube[7]: ${line}`,
  rfc3164: (line: string) => `<11>May 18 12:00:00 webmail roundcube: ${line}`,
  rfc5424: (line: string) => `<11>1 2025-05-18T12:00:00.123+02:00 webmail roundcube - - - ${line}`,
} as const;
type Enveloped = keyof typeof ENVELOPED;
const inEnvelope = (name: Enveloped, lines = LINES): string => logOf(lines.map(ENVELOPED[name]));

describe('a side in an envelope is compared by what is inside', () => {
  test.each<Enveloped>(['docker', 'cri', 'timestamps', 'syslog', 'rfc3164', 'rfc5424'])('%s', async (name) => {
    for (const isPipe of [false, true]) {
      const lost = inEnvelope(name, LINES.toSpliced(3, 1));
      const compared = await compare(logOf(LINES), lost, { isPipe });
      expect(briefly(compared)).toEqual(['sent.log:4 missing']);
      expect(compared.findings[0]?.text).toBe(LINES[3]);
      expect(compared.summary.opened.map(({ source }) => source)).toEqual(['came.log']);
      const turned = await compare(inEnvelope(name), logOf(LINES.toSpliced(5, 0, 'foreign')), { isPipe });
      expect(briefly(turned)).toEqual(['came.log:6 foreign']);
      expect(turned.summary.opened.map(({ source }) => source)).toEqual(['sent.log']);
    }
  });

  test.each<[what: string, sent: string, came: readonly string[], options: CompareOptions, opened: readonly string[]]>([
    ['two envelopes', inEnvelope('cri'), [inEnvelope('docker')], {}, ['sent.log docker', 'came.log cri']],
    ['one of two files', logOf(LINES), [inEnvelope('cri', LINES.slice(0, 9)), logOf(LINES.slice(9))], {}, ['came-1.log cri']],
    ['records of one kind', logOf(LINES), [inEnvelope('syslog')], { kind: 'load_failure' }, ['came.log syslog']],
  ])('%s', async (_what, sent, came, options) => {
    const compared = await compare(sent, came.length === 1 ? (came[0] ?? '') : came, options);
    const found = briefly(compared).filter((finding) => options.kind === undefined || !finding.includes('foreign'));
    expect([found, compared.summary.recordsDelivered]).toEqual([[], options.kind === undefined ? LINES.length : 21]);
  });
});

describe('the same envelope on both sides', () => {
  const altered = inEnvelope('docker').replace('10:00:00.5Z', '10:00:00.6Z');

  test('is compared as it stands', async () => {
    const compared = await compare(inEnvelope('docker'), altered);
    expect([briefly(compared).length, compared.summary.opened]).toEqual([1, []]);
  });

  test('is opened where it is named', async () => {
    const compared = await compare(inEnvelope('docker'), altered, { envelope: 'docker' });
    expect([briefly(compared), compared.summary.opened.length]).toEqual([[], 2]);
  });
});

test('lines are compared as they are with none, and an envelope that no input is in is refused', async () => {
  const plain = await compare(logOf(LINES), inEnvelope('cri'), { envelope: 'none' });
  expect(plain.summary).toMatchObject({ recordsDelivered: 0, opened: [] });
  await expect(compare(logOf(LINES), inEnvelope('cri'), { envelope: 'docker' })).rejects.toThrow(
    'sent.log: neither its first record nor that of a received input is in the envelope docker; name the envelope of one of them, or leave out options.envelope',
  );
});

describe('an envelope that is named is looked for until a record comes', () => {
  const notices = Array<string>(3000).fill('nginx notice');
  const came = inEnvelope('cri', [...notices, ...LINES.toSpliced(3, 1)]);

  test.each<[what: string, sent: string, isPipe: boolean]>([
    ['of a file', logOf([...notices, ...LINES]), false],
    ['of a pipe', logOf([...notices, ...LINES]), true],
    ['on both sides', inEnvelope('cri', [...notices, ...LINES]).replaceAll('00.123', '01.123'), false],
  ])('%s', async (_what, sent, isPipe) => {
    expect(briefly(await compare(sent, came, { envelope: 'cri', isPipe }))).toEqual(['sent.log:3004 missing']);
  });

  test('behind more than is looked at first', async () => {
    const noise = `${'x'.repeat(1 << 20)}\n`.repeat(5);
    const compared = await compare(noise + logOf(LINES), noise + inEnvelope('cri'), { envelope: 'cri' });
    expect([briefly(compared), compared.summary.opened]).toEqual([[], [{ source: 'came.log', envelope: 'cri' }]]);
    await expect(compare(noise, noise, { envelope: 'cri' })).rejects.toThrow('is in the envelope cri');
  });
});

test('of files that can be read again, no beginning is kept: each is begun when the one before has ended', async () => {
  const asked: string[] = [];
  const files = ['a', 'b', 'c'].map((letter) => {
    const made = sourceOf(letter, `${letter}\n`);
    const chunks = async function* () {
      asked.push(`${letter} begins`);
      yield* made.chunks;
      asked.push(`${letter} ends`);
    };
    return { ...made, chunks: chunks() };
  });
  await compareSources(sourceOf('sent.log', 'a\nb\nc\n'), files);
  expect(asked).toEqual(['a', 'b', 'c'].flatMap((letter) => [`${letter} begins`, `${letter} ends`]));
});

test('a record in pieces is at the line of its first piece, and the records behind it at theirs', async () => {
  const [first = '', second = ''] = LINES;
  const cri = (tag: string, text: string): string => `2025-05-18T10:00:00Z stderr ${tag} ${text}`;
  const came = logOf([
    cri('P', first.slice(0, 100)),
    cri('F', `${first.slice(100)}!`),
    cri('F', `${second}?`),
    cri('F', 'foreign'),
  ]);
  expect(briefly(await compare(logOf([first, second]), came))).toEqual([
    'came.log:1 altered: 1 byte more at its end',
    'came.log:3 altered: 1 byte more at its end',
    'came.log:4 foreign',
  ]);
});

describe('NDJSON', () => {
  const objectsOf = (texts: readonly string[]): string => logOf(texts.map((message) => JSON.stringify({ message })));

  test('an envelope is looked for in the field', async () => {
    const texts = LINES.map(ENVELOPED.cri);
    const compared = await compare(logOf(LINES), objectsOf(texts.toSpliced(2, 1)), { field: 'message', lossy: true });
    expect(briefly(compared)).toEqual(['sent.log:3 missing']);
  });

  test('pieces in the field are joined; a text of several lines is as it is', async () => {
    const [first = '', second = ''] = LINES;
    const texts = ['P', 'F'].map(
      (tag, index) => `2025-05-18T10:00:00Z stderr ${tag} ${index === 0 ? first.slice(0, 90) : first.slice(90)}`,
    );
    const came = objectsOf([...texts, 'two\nlines', ENVELOPED.cri(`${second}!`)]);
    expect(briefly(await compare(logOf([first, second]), came, { field: 'message' }))).toEqual([
      'came.log:3 foreign',
      'came.log:4 altered: 1 byte more at its end',
    ]);
  });

  test('fields are compared with the records in the envelopes of the expected log', async () => {
    const came = logOf(LINES.map((line) => JSON.stringify({ n: / on line (\d+)/.exec(line)?.[1] ?? '119' })));
    const compared = await compare(inEnvelope('docker'), came, { fields: { line_number: 'n' } });
    expect(compared.summary).toMatchObject({ recordsSent: LINES.length, recordsDelivered: LINES.length });
  });
});
