import { expect, test, describe } from '@jest/globals';
import { briefly, compare, countsOf, logOf } from '../support/compared.js';

describe('gaps between delivered records', () => {
  const record = (number: number): string => `${String(1000 + number)} is a record, the ${String(2000 + number)}`;
  const SENT = Array.from({ length: 120 }, (_, index) => record(index));
  const CUT = 'altered: cut after 12 bytes';

  /** What comes of the records: others in place of some, by their numbers. */
  const cameWith = (changes: Readonly<Record<number, readonly string[]>>): string =>
    logOf(SENT.flatMap((line, index) => changes[index] ?? [line]));
  const cut = (number: number): string => record(number).slice(0, 12);

  test.each<{ what: string; came: string; findings: readonly string[] }>([
    { what: 'a cut record in its gap', came: cameWith({ 10: [cut(10)] }), findings: [`came.log:11 ${CUT}`] },
    {
      what: 'cut records in gaps of their own',
      came: cameWith({ 10: [cut(10)], 12: [cut(12)], 50: [cut(50)], 100: [cut(100)] }),
      findings: [11, 13, 51, 101].map((line) => `came.log:${String(line)} ${CUT}`),
    },
    {
      what: 'a cut record in the next gap',
      came: cameWith({ 10: [], 11: [record(11), cut(10)] }),
      findings: ['sent.log:11 missing', 'came.log:12 foreign'],
    },
    {
      what: 'a cut record in the gap before',
      came: cameWith({ 9: [cut(10), record(9)], 10: [] }),
      findings: ['came.log:10 foreign', 'sent.log:11 missing'],
    },
    {
      what: 'a cut record in another near gap, behind one in its own',
      came: cameWith({ 60: [cut(60)], 62: [], 63: [record(63), cut(62)] }),
      findings: [`came.log:61 ${CUT}`, 'sent.log:63 missing', 'came.log:64 foreign'],
    },
    {
      what: 'cut records behind one that has moved',
      came: cameWith({ 5: [], 40: [record(40), record(5)], 45: [cut(45)], 90: [cut(90)] }),
      findings: ['came.log:41 reordered', `came.log:46 ${CUT}`, `came.log:91 ${CUT}`],
    },
    {
      what: 'cut records on both sides of one that has moved',
      came: cameWith({ 30: [cut(30)], 40: [cut(40), record(70), cut(41)], 41: [], 70: [] }),
      findings: [`came.log:31 ${CUT}`, `came.log:41 ${CUT}`, 'came.log:42 reordered', `came.log:43 ${CUT}`],
    },
  ])('$what', async ({ came, findings }) => {
    expect(briefly(await compare(logOf(SENT), came))).toEqual(findings);
  });

  test('a piece beside a repeated stretch is foreign, wherever it stands', async () => {
    const again = SENT.slice(10, 20);
    const came = [...SENT.slice(0, 40), cut(9), ...again.slice(0, 5), cut(15), ...again.slice(5), cut(20), ...SENT.slice(40)];
    expect(briefly(await compare(logOf(SENT), logOf(came)))).toEqual([
      'came.log:41 foreign',
      'came.log:42-46 duplicated',
      'came.log:47 foreign',
      'came.log:48-52 duplicated',
      'came.log:53 foreign',
    ]);
  });

  test('200 records in a row, each of which came in three pieces, are each altered', async () => {
    const sent = Array.from({ length: 200 }, (_, index) => record(index));
    const came = sent.flatMap((text) => [text.slice(0, 12), text.slice(12, 20), text.slice(20)]);
    expect(briefly(await compare(logOf(sent), logOf(came)))).toEqual(
      sent.map((_, index) => `came.log:${String(3 * index + 1)} ${CUT}`),
    );
  });

  test('of 10,000 records that all came altered, but for every tenth, each is altered', async () => {
    const sent = Array.from({ length: 10_000 }, (_, index) => record(index));
    const came = sent.filter((_, index) => index % 10 !== 0).map((text) => `header: ${text}`);
    expect(countsOf(await compare(logOf(sent), logOf(came), { max: 0 }))).toEqual({ missing: 1000, altered: 9000 });
  });
});
