import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { inferPluginOrder } from '../../src/reading/plugin-order.js';
import { parseRecord } from '../../src/log/line.js';
import { interleave, picks } from '../support/concurrent.js';
import { groupAt, SECOND } from '../support/records.js';

const SEVEN = createDeployment().plugins;
const LETTERS = ['i', 'h', 'g', 'f', 'e', 'd', 'c', 'a', 'b'];

function group(target: string, plugins: readonly string[] = SEVEN): string {
  return groupAt(SECOND, target, createDeployment({ plugins }));
}

/** A group of an installation whose groups end with their last load failure. */
const failures = (target: string): string => group(target).replace(/.*Deprecated.*\n/, '');

/** The names of the plugins that a log is found to have. */
function pluginsOf(log: string): string[] | undefined {
  const records = log.split('\n').flatMap((line, index) => {
    const record = parseRecord(line);
    return record === undefined ? [] : [{ record, line: index + 1 }];
  });
  return inferPluginOrder(records)?.paths.map((path) => /([^/]+)\.php$/.exec(path)?.[1] ?? '');
}

/** A group among whose records those of another one stand: a deprecation record directly follows a plugin of the other. */
function mixed(): string {
  const [one, other] = [group('/a').split(/(?<=\n)/), group('/b', ['a', 'b', 'c']).split(/(?<=\n)/)];
  return [one.slice(0, 4), other.slice(0, 1), one.slice(4, 7), other.slice(1, 2), one.slice(7), other.slice(2)].flat().join('');
}

/** A log without its first records. */
function cut(log: string, records: number): string {
  return log.split('\n').slice(records).join('\n');
}

describe('inferPluginOrder', () => {
  test.each([
    ['one group', group('/a'), SEVEN],
    ['one plugin', group('/a', ['x']), ['x']],
    ['nine plugins, in no order', group('/a', LETTERS), LETTERS],
    ['a log that begins within a group', cut(group('/a') + group('/b'), 4), SEVEN],
    ['a log that begins within a group of the same descriptor', cut(group('/a').repeat(2), 4), SEVEN],
    ['a log that begins within a group, and then again and again', cut(group('/a').repeat(9), 2), SEVEN],
    ['a log that begins with the end of a group', cut(group('/a') + group('/b'), 7), SEVEN],
    ['a log that ends within a group', group('/a') + cut(group('/b'), -4), SEVEN],
    ['a first group that lacks a record', cut(group('/a'), 0).replace(/.*carddav.*\n/, '') + group('/b').repeat(3), SEVEN],
    ['another log behind it that repeats its order', group('/a') + group('/b', ['x', 'y']).repeat(9), ['x', 'y']],
    ['groups cut short before and behind a whole one', cut(group('/a'), 5) + group('/b') + cut(group('/c'), 5), SEVEN],
    ['another log of more plugins behind it', group('/a', ['x', 'y']) + group('/b').repeat(3), SEVEN],
    ['a first group of which a path is altered', group('/a').replace('/plugins/', '/plugin/') + group('/b').repeat(2), SEVEN],
    ['a request of another installation among the records of the first one', mixed(), SEVEN],
    ['few groups with a plugin more', group('/a', ['a', 'c']).repeat(3) + group('/b', ['a', 'b', 'c']).repeat(2), ['a', 'c']],
    [
      'as many groups with a plugin more',
      group('/a', ['a', 'c']).repeat(3) + group('/b', ['a', 'b', 'c']).repeat(3),
      ['a', 'b', 'c'],
    ],
    [
      'groups with the first plugin alike',
      group('/a', ['a', 'x']).repeat(2) + group('/b', ['a', 'b', 'c']).repeat(3),
      ['a', 'b', 'c'],
    ],
    [
      'groups with the last plugin alike',
      group('/a', ['x', 'c']).repeat(2) + group('/b', ['a', 'b', 'c']).repeat(3),
      ['a', 'b', 'c'],
    ],
    [
      'one plugin that goes on to fail after another one was mended',
      group('/a', ['a', 'b']) + group('/b', ['b']).repeat(9),
      ['b'],
    ],
    ['a group whose end is far from it', group('/a').replace(':00 Europe', ':10 Europe'), SEVEN],
    ['an end alone', cut(group('/a'), 7), undefined],
    ['load failures alone', group('/a').split('\n').slice(0, 7).join('\n'), SEVEN],
    ['load failures alone, from within a group on', `${cut(failures('/a'), 3)}${failures('/b')}${failures('/c')}`, SEVEN],
    ['nothing', '', undefined],
  ])('%s', (_what, log, plugins) => {
    expect(pluginsOf(log)).toEqual(plugins);
  });

  const [a = '', b = '', c = '', d = '', D = ''] = group('/', ['a', 'b', 'c', 'd']).split(/(?<=\n)/);
  const records: Readonly<Record<string, string>> = { a, b, c, d, D };

  /** A log of these records: `b` is a plugin's, `by` that of another request target, `D` a deprecation record, `D4` one 40 s later. */
  function logOf(text: string): string {
    const lines = Array.from(text.matchAll(/([a-dD])(y?)(\d?)/g), ([, name = '', target = '', tens = '0']) =>
      (records[name] ?? '').replace('GET /', `GET /${target}`).replace('12:00:0', `12:00:${tens === '' ? '0' : tens}`),
    );
    return lines.join('');
  }

  // In these logs, which begin within a group, another order makes groups whole as well.
  test.each([
    ['the order that makes more groups whole', 'c d a b D c d D a b c d D', 'abcd'],
    ['the one found first, where all that is equal', 'c d a b D c d D a b c d D3', 'cdab'],
    ['the order of a run of one request', 'dy c d ay by cy dy D', 'abcd'],
    ['the order of a run that begins with a plugin that stands before it, too', 'a c d a b c d D D', 'abcd'],
    ['the order of a run behind a deprecation record', 'c d D a b c d D', 'abcd'],
  ])('infers %s', (_what, text, plugins) => {
    expect(pluginsOf(logOf(text))?.join('')).toBe(plugins);
  });

  test('finds the plugins behind many runs that are not groups: the longest orders are tried', () => {
    const runs = Array.from({ length: 40 }, (_, index) => group('/', [`x${String(index)}`]).replace(':00 Europe', ':50 Europe'));
    expect(pluginsOf(runs.join('') + group('/a').replaceAll('12:00:00', '12:09:00'))).toEqual(SEVEN);
  });

  test('a log of concurrent clients that begins anywhere, two in three groups contiguous', () => {
    const groups = Array.from({ length: 60 }, (_, index) => group(`/${String(index % 20)}`));
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 16 }), picks, fc.nat(100), (clients, order, records) => {
        expect(pluginsOf(cut(interleave(groups, clients, order).log, records))).toEqual(SEVEN);
      }),
    );
  });
});
