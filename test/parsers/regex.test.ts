import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatGroup } from '../../src/log/group.js';
import { deployment, request } from '../support/arbitraries.js';
import { expectedCaptures, KINDS, readRegex, type Form, type Kind } from '../support/regex-files.js';

/** The log that a regular expression captures from, as `expectedCaptures` writes the expected one. */
function capturesOf(log: string, kind: Kind, form: Form): string {
  const regex = new RegExp(readRegex(kind, form));
  return log
    .split('\n')
    .flatMap((line) => {
      const captures = regex.exec(line)?.slice(1);
      if (captures === undefined) return [];
      if (kind === 'load-failure') captures.splice(2, 1);
      return `${captures.join(' ')}\n`;
    })
    .join('');
}

describe.each(KINDS)('parsers/regex: %s', (kind) => {
  test('JavaScript captures every record of any request in any deployment', () => {
    fc.assert(
      fc.property(request, deployment, (logged, where) => {
        const log = formatGroup(logged, where);
        const expected = expectedCaptures(log, kind);
        expect(expected).not.toBe('');
        for (const form of ['numbered', 'named'] as const) expect(capturesOf(log, kind, form)).toBe(expected);
      }),
    );
  });
});

const LOAD_FAILURE =
  '[03-Mar-2025 08:12:04 +0100]: PHP Error: Failed to load plugin file /r/plugins/a/a.php in /r/program/lib/R/l.php on line 193 (GET /mail/)';
const DEPRECATION =
  '[03-Mar-2025 08:12:04 Europe/Warsaw] PHP Deprecated: session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated in /r/s.php on line 119';

const FAILED_LOGIN =
  '[03-Mar-2025 08:12:04 +0100]: <8098d78c> IMAP Error: Login failed for jan against 127.0.0.1 from 192.0.2.1. in /r/l.php on line 211 (POST /mail/?_task=login&_action=login)';

test.each([
  ['a load failure', ['load-failure'], LOAD_FAILURE],
  ['a load failure with a session id', ['load-failure'], LOAD_FAILURE.replace('PHP', '<m050aivd> PHP')],
  ['a load failure whose tag looks like a session id', ['load-failure'], LOAD_FAILURE.replace('PHP', '<m050aivd>')],
  ['a load failure with a session id of other characters', [], LOAD_FAILURE.replace('PHP', '<a_b> PHP')],
  ['a deprecation', ['deprecation'], DEPRECATION],
  ['a deprecation with two spaces', ['deprecation'], DEPRECATION.replace('Deprecated:', 'Deprecated: ')],
  ['a deprecation with three spaces', [], DEPRECATION.replace('Deprecated:', 'Deprecated:  ')],
  ['a load failure with a CR at its end', [], `${LOAD_FAILURE}\r`],
  ['a deprecation with a CR at its end', [], `${DEPRECATION}\r`],
  ['a load failure without its last parenthesis', [], LOAD_FAILURE.slice(0, -1)],
  ['a load failure behind other text', [], `x${LOAD_FAILURE}`],
  ['a line with two records', [], LOAD_FAILURE + DEPRECATION],
  ['a failed login', [], FAILED_LOGIN],
  ['an empty line', [], ''],
])('%s is matched by %j', (_name, kinds, line) => {
  for (const form of ['numbered', 'named'] as const)
    expect(KINDS.filter((kind) => new RegExp(readRegex(kind, form)).test(line))).toEqual(kinds);
});

test('the session id is captured, and nothing where there is none', () => {
  const withId = LOAD_FAILURE.replace('PHP', '<m050aivd> PHP');
  const named = new RegExp(readRegex('load-failure', 'named'));
  expect(named.exec(withId)?.groups).toMatchObject({ session_id: 'm050aivd', runtime_tag: 'PHP' });
  expect(named.exec(LOAD_FAILURE)?.groups).toMatchObject({ session_id: undefined, runtime_tag: 'PHP' });
  expect(new RegExp(readRegex('load-failure', 'numbered')).exec(withId)?.slice(3, 5)).toEqual(['<m050aivd> ', 'PHP']);
});
