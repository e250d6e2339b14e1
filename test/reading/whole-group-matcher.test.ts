import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { recordsOf, type WholeGroup } from '../../src/reading/whole-group.js';
import { WholeGroupMatcher } from '../../src/reading/whole-group-matcher.js';

const SITE = createDeployment({ plugins: ['a', 'b'], installRoot: '/r' });
const SECOND = 1_747_562_400;

function groupAt(second: number, target = '/mail/?x=)', site = SITE): string {
  return formatGroup({ millisecond: second * 1000, method: 'POST', target }, site);
}

const GROUP = groupAt(SECOND);

function match(bytes: string, matcher = new WholeGroupMatcher(SITE)): WholeGroup | number | undefined {
  return matcher.match(Buffer.from(bytes, 'latin1'), 0, 7);
}

describe('WholeGroupMatcher', () => {
  test('reads a group whose load failures all show one session id; a tag may look like one', () => {
    const withSession = GROUP.replaceAll(']: PHP', ']: <29fv0ebd> PHP');
    const matched = match(withSession);
    expect(matched).toMatchObject({ sessionId: '29fv0ebd', byteLength: withSession.length });
    if (typeof matched !== 'object') throw new Error('no group');
    expect(recordsOf(matched)).toEqual(withSession.split('\n').flatMap((line) => parseRecord(line) ?? []));
    for (let length = withSession.indexOf('\n') + 1; length < withSession.length; length += 7)
      expect(match(withSession.slice(0, length))).toBe(withSession.length);
    for (const other of ['29fv0ebe', '29fv0eb', ''])
      expect(match(withSession.replace(/29fv0ebd(?=.*b\.php)/, other))).toBeUndefined();
    expect(match(GROUP.replace(']: PHP', ']: <29fv0ebd> PHP'))).toBeUndefined();
    const tagged = createDeployment({ plugins: ['a', 'b'], installRoot: '/r', runtimeTag: '<29fv0ebd>' });
    const group = groupAt(SECOND, '/', tagged);
    expect(match(group, new WholeGroupMatcher(tagged))).toMatchObject({ target: '/', byteLength: group.length });
    expect(match(group, new WholeGroupMatcher(tagged))).not.toHaveProperty('sessionId');
  });

  test.each([
    ['another second in the second record', GROUP.replace(/\n(.*?)12:00:00/, '\n$112:00:01')],
    ['another descriptor in the second record', GROUP.replace(/\n(.*)mail/, '\n$1mall')],
    ['another line at its end', GROUP.replace('line 119', 'line 118')],
    ['a CR at its end', GROUP.replace(/\n$/, '\r\n')],
    ['no target', GROUP.replaceAll('/mail/?x=)', '')],
    ['no method', GROUP.replaceAll('(POST', '(')],
    ['no blank behind the method', GROUP.replaceAll('(POST ', '(POST')],
    ['no parenthesis at the end', GROUP.replaceAll(/\)+$/gm, '')],
    ['a day that does not exist', GROUP.replaceAll('18-May', '31-Jun')],
    ['a second that does not exist', GROUP.replaceAll('12:00:00', '12:00:60')],
    ['an offset that does not exist', GROUP.replaceAll('+0200', 'x0200')],
    ['the offset of another zone', GROUP.replaceAll('+0200', '+0300')],
    ['a time long before 1970', GROUP.replaceAll('18-May-2025', '01-Jan-0000')],
    ['a time after the year 9999', GROUP.replaceAll('18-May-2025', '31-Dec-9999').replaceAll('+0200', '-9999')],
  ])('no group: %s', (_what, bytes) => {
    expect(match(bytes)).toBeUndefined();
  });

  test.each([
    ['Pacific/Kiritimati', 2 * 86_400],
    ['Pacific/Kiritimati', Date.UTC(9999, 11, 29) / 1000],
    ['America/Adak', 2 * 86_400],
    ['America/Adak', Date.UTC(9999, 11, 29) / 1000],
  ])('reads groups of %s at the second %d', (timezone, second) => {
    const site = createDeployment({ timezone, plugins: ['a'] });
    expect(match(groupAt(second, '/', site), new WholeGroupMatcher(site))).toMatchObject({ second });
  });

  test('gives of a group the same whatever groups came before, and long targets and bytes that are not ASCII as they are', () => {
    // `Aa` and `BB` have the same hash: descriptors share a slot of the cache.
    const long = [251, 252, 1000].map((length) => '/'.padEnd(length, 'x'));
    const target = fc.constantFrom('/Aa', '/BB', '/()', '/\xe9\xff', ...long);
    const second = fc.constantFrom(0, 7, 60, 67).map((later) => SECOND + later);
    const broken = fc.constantFrom(' > ', '2025 12>2025 13', ':0>:6', ':1>::', '+0200>+0100', '+0>x0');
    const group = fc.tuple(second, target, broken).map(([at, path, change]) => {
      const [from = '', to = ''] = change.split('>');
      return groupAt(at, path).replaceAll(from, to);
    });
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 8 }), (groups) => {
        const matcher = new WholeGroupMatcher(SITE);
        const block = Buffer.alloc(4000);
        for (const each of groups) {
          block.fill(0).write(each, 'latin1');
          expect(matcher.match(block, 0, 7)).toEqual(match(each));
        }
      }),
    );
  });
});
