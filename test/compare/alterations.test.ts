import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { findAlteration, isJoined } from '../../src/compare/alteration.js';
import { digestLossy, isLossyCopy, type Digest } from '../../src/compare/equality.js';
import { DEPRECATION, FAILURE } from '../support/records.js';

/** An alteration with its description; the likeness to four places. */
function alterationOf(expected: string, received: string): Record<string, unknown> | undefined {
  const found = findAlteration(expected, received);
  return found && { ...found, describe: found.describe(), likeness: Number(found.likeness.toFixed(4)) };
}

describe('findAlteration: one record is a fragment of the other', () => {
  test.each<[expected: string, received: string, describe: string, likeness: number]>([
    ['abc\r', 'abc', 'the CR at its end is gone', 1],
    ['abc', 'abc\r', 'an extra CR at its end', 1],
    ['', '\r', 'an extra CR at its end', 1],
    ['abcdefgh', 'abcdefghij', '2 bytes more at its end', 0.98],
    ['abcdefgh', 'abcdefghi', '1 byte more at its end', 0.9889],
    ['abcdefgh', 'abcdefghi\r', '2 bytes more at its end', 0.98],
    ['Xabcdefgh\r', 'abcdefgh\r', 'its first 1 byte gone', 0.99],
    ['abcdefghij', 'cdefghij', 'its first 2 bytes gone', 0.98],
    ['cdefghij', 'abcdefghij', '2 bytes more before it', 0.98],
    ['abcdefghijk', 'cdefghij', 'its first 2 bytes gone, cut after 10 bytes', 0.9727],
    ['cdefghij', 'abcdefghijk', '2 bytes more before it, 1 behind it', 0.9727],
    ['-abcdefgh-abcdefgh', 'abcdefgh', 'its first 10 bytes gone', 0.9444],
    ['abcdefghij', 'abcdefgh', 'cut after 8 bytes', 1],
    ['abcdefghi\r', 'abcdefgh', 'cut after 8 bytes', 1],
    ['abcdefgh-abcdefgh', 'abcdefgh', 'cut after 8 bytes', 1],
    ['abcdefghij', 'abcdefghi', 'cut after 9 bytes', 1],
  ])('%j has become %j: %s', (expected, received, how, likeness) => {
    expect(alterationOf(expected, received)).toEqual({ describe: how, likeness, isFragment: true });
  });
});

describe('findAlteration: one field of a record has another value', () => {
  test.each<[field: string, record: string, from: string, to: string, differing: number]>([
    ['timestamp', FAILURE, '18-May-2025 12:00:00', '19-May-2025 12:00:01', 19],
    ['timestamp', DEPRECATION, '18-May-2025 12:00:00', '18-May-2025 12:00:09', 1],
    ['utc_offset', FAILURE, '+0200', '+0100', 1],
    ['timezone_name', DEPRECATION, 'Europe/Warsaw', 'UTC', 13],
    ['runtime_tag', FAILURE, 'PHP', 'PH8', 1],
    ['plugin_file_path', FAILURE, '/r/plugins/carddav/carddav.php', '/r/plugins/zipdownload/zipdownload.phar', 28],
    ['plugin_loader_file_path', FAILURE, '/r/program/lib/Roundcube/rcube_plugin_api.php', '/r/program/lib/Roundcube/api.php', 13],
    ['session_file_path', DEPRECATION, '/r/program/lib/Roundcube/rcube_session.php', '/r/program/lib/Roundcube/rcube.php', 8],
    ['line_number', FAILURE, '193', '1930', 1],
    ['line_number', DEPRECATION, '119', '118', 1],
    ['http_method', FAILURE, 'GET', 'POST', 3],
    ['request_target', FAILURE, '/mail/', '/poczta/', 6],
  ])('%s of %j', (field, record, from, to, differing) => {
    const received = record.replace(from, to);
    const alteration = findAlteration(record, received);
    expect(alteration).toMatchObject({ isFragment: false });
    expect(alteration?.describe()).toBe(`${field} "${from}" has become "${to}"`);
    expect(alteration?.likeness).toBeCloseTo(1 - differing / Math.max(record.length, received.length), 9);
  });

  test('a field of a record that has little in common besides', () => {
    const target = `/${'a'.repeat(3000)}`;
    expect(alterationOf(FAILURE, FAILURE.replace('/mail/', target))).toMatchObject({
      describe: `request_target "/mail/" has become "/${'a'.repeat(59)}…"`,
      isFragment: false,
    });
  });
});

describe('findAlteration: nine tenths are common beginning and end', () => {
  test.each<[expected: string, received: string, describe: string, likeness: number]>([
    ['abcdefghij', 'abcdEfghij', '"e" has become "E" after 4 bytes', 0.9],
    ['abcdefghij', 'Abcdefghij', '"a" has become "A" after 0 bytes', 0.9],
    ['abcdefghi', 'abcdeXfghi', '"" has become "X" after 5 bytes', 0.9],
    ['abcdeXfghi', 'abcdefghi', '"X" has become "" after 5 bytes', 0.9],
    // The second `ab` is common beginning or common end, not both.
    [
      `${'x'.repeat(20)}abab${'y'.repeat(20)}`,
      `${'x'.repeat(20)}ab${'y'.repeat(20)}`,
      '"ab" has become "" after 22 bytes',
      0.9545,
    ],
    [
      DEPRECATION,
      DEPRECATION.replace('Deprecated:', 'Deprecated: '),
      `"" has become " " after ${String(DEPRECATION.indexOf('session_'))} bytes`,
      0.9959,
    ],
    [
      FAILURE,
      FAILURE.replace('12:00:00 +0200', '11:00:00 +0100'),
      '"2:00:00 +02" has become "1:00:00 +01" after 14 bytes',
      0.936,
    ],
    [
      FAILURE,
      FAILURE.replace(' 193 (GET', ' 194 (GOT'),
      `"3 (GE" has become "4 (GO" after ${String(FAILURE.indexOf('3 (GET'))} bytes`,
      0.9709,
    ],
  ])('%j has become %j: %s', (expected, received, how, likeness) => {
    expect(alterationOf(expected, received)).toEqual({ describe: how, likeness, isFragment: false });
  });
});

test.each<[why: string, expected: string, received: string]>([
  ['a beginning of 7 bytes', 'abcdefghij', 'abcdefg'],
  ['an end of 7 bytes', 'abcdefghij', 'defghij'],
  ['7 bytes and 2 more', 'abcdefg', 'abcdefg--'],
  ['nothing', 'abcdefg', ''],
  ['two CRs gone from 3 bytes', 'abc\r\r', 'abc'],
  ['fragments in another order', 'abcdefghijkl', 'ijklabcd'],
  [
    'two other fields',
    FAILURE,
    FAILURE.replace('/r/plugins/carddav/carddav.php', '/r/plugins/markasjunk2/markasjunk2.php').replace('193', '194'),
  ],
  ['another kind', FAILURE, DEPRECATION],
  ['no record of a record', FAILURE, FAILURE.replace('/mail/', '\x07'.repeat(90))],
  ['a record of none', FAILURE.replace('/mail/', '\x07'.repeat(90)), FAILURE],
  ['less than nine tenths in common', 'abcdefghi', 'abcdEfghi'],
  ['less than nine tenths, of ten bytes', 'abcdefghij', 'abcdEFghij'],
  ['less than nine tenths of the longer', 'abcdefghi', 'abcdeXYfghi'],
])('no alteration: %s', (_why, expected, received) => {
  expect(findAlteration(expected, received)).toBeUndefined();
});

describe('isJoined', () => {
  const [first, second] = ['first record', 'second record'];

  test.each<[received: string, areJoined: boolean]>([
    ['first recordsecond record', true],
    ['firstsecond record', true],
    ['first record, second record', true],
    ['header: first recordsecond record', true],
    ['first recordsecond r', true],
    ['first recordsecond', false],
    ['first recordsecond record and more', true],
    ['second record', false],
    ['other record, second record', false],
    ['first record', false],
    ['first record, something else', false],
    ['other recordsecond r', false],
    ['first second r', false],
  ])('%j: %j', (received, areJoined) => {
    expect(isJoined(first, second, received)).toBe(areJoined);
  });
});

const REPLACEMENT = '\xef\xbf\xbd';

/** All sequences of some units, up to so many. */
function sequencesOf(units: readonly string[], count: number): string[] {
  if (count === 0) return [''];
  const shorter = sequencesOf(units, count - 1);
  return [...new Set([...shorter, ...shorter.flatMap((sequence) => units.map((unit) => sequence + unit))])];
}

/** Matches the copies of a record in which `\xff` is the only byte that is not UTF-8. */
function copiesOf(expected: string): RegExp {
  const withSign = (sign: string): string =>
    expected.replace(/\?/g, '\\?').replace(/\xff+/g, ({ length }) => `(?:${sign}){1,${String(length)}}`);
  return new RegExp(`^(?:${withSign('\\?')}|${withSign(REPLACEMENT)})$`);
}

describe('isLossyCopy', () => {
  const SENT = sequencesOf(['a', '?', '\xff', REPLACEMENT], 4);
  const CAME = sequencesOf(['a', '?', REPLACEMENT], 4);

  test('from one sign to one for each byte, all of a kind, stands for bytes that are not UTF-8; all else is as it was', () => {
    const wrong = SENT.flatMap((sent) => {
      const copies = copiesOf(sent);
      return CAME.filter((came) => isLossyCopy(sent, came) !== copies.test(came)).map((came) => [sent, came]);
    });
    expect(wrong).toEqual([]);
  });

  test('records that may be copies of one another have one digest', () => {
    const digestOf = digester();
    const wrong = SENT.flatMap((sent) => {
      const digest = digestOf(sent);
      return CAME.filter((came) => isLossyCopy(sent, came) && digestOf(came) !== digest).map((came) => [sent, came]);
    });
    expect(wrong).toEqual([]);
  });
});

/** A function that gives the digest of a byte string between other bytes. */
function digester(behind = '\xbf\xbf\xbf'): (record: string) => string {
  const digest: Digest = { low: 0, high: 0, exact: 0 };
  return (record) => {
    digestLossy(Buffer.from(`\\xff${record}${behind}\\xff`, 'latin1'), 4, 4 + record.length, digest);
    return `${String(digest.low)} ${String(digest.high)}`;
  };
}

describe('digestLossy', () => {
  const EDGES = [0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf];
  const LEADS = [0x7f, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff];
  const FURTHER = [0x41, 0x80, 0xbf, 0xc0].map((byte) => String.fromCharCode(byte));

  test.each(LEADS.concat(EDGES))('tells what is UTF-8 in all that begins with byte %i', (lead) => {
    const digestOf = digester();
    const wrong = [0x41, ...EDGES, 0xc0]
      .flatMap((second) => sequencesOf(FURTHER, 2).map((rest) => String.fromCharCode(lead, second) + rest))
      .concat(String.fromCharCode(lead))
      .filter((record) => {
        const decoded = Buffer.from(Buffer.from(record, 'latin1').toString()).toString('latin1');
        return !isLossyCopy(record, decoded) || digestOf(record) !== digestOf(decoded);
      });
    expect(wrong).toEqual([]);
  });

  test.each<[record: string, other: string]>([
    ['a\\xffb', 'a\xffb'],
    ['a\\xFF\\x80b', 'a?b'],
    ['\\xc5\\xbc', '\xc5\xbc'],
    ['\\\\xff', '\\?'],
    ['C:\\xampp and \\xff', 'C:\\xampp and ?'],
    ['\\ \\xff', '\\ ?'],
  ])('%j and %j have one digest', (record, other) => {
    const digestOf = digester();
    expect(digestOf(record)).toBe(digestOf(other));
  });

  test('reads no byte of the record behind', () => {
    const alone = digester()('a\\');
    expect(digester('xff')('a\\')).toBe(alone);
  });

  test('reads a record in a large block without a look at the rest of the block', async () => {
    // Memory that is not touched costs nothing. A search through all of it for each record takes a minute.
    const block = Buffer.alloc(1 << 28);
    const result: Digest = { low: 0, high: 0, exact: 0 };
    for (let start = 0; start < 200_000; start += 10) {
      digestLossy(block, start, start + 20, result);
      if (start % 10_000 === 0) await setImmediate();
    }
    expect(result).not.toEqual({ low: 0, high: 0, exact: 0 });
  }, 10_000);
});
