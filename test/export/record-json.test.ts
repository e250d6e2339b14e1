import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { documentFormOf, type DocumentFormName } from '../../src/export/forms.js';
import { RECORDS } from '../../src/export/record-json.js';
import { FAILURE } from '../support/records.js';

/** What is written of the records of a group. */
function jsonOf(target: string, second: number | undefined, group?: number): unknown[] {
  const site = createDeployment({ plugins: ['a'], installRoot: '/żółw' });
  const lines = formatGroup({ millisecond: 1_747_562_400_000, method: 'GET', target }, site).split('\n').slice(0, -1);
  return lines.map((text, index): unknown => {
    const record = parseRecord(text);
    if (record === undefined) throw new Error('no record');
    const line = RECORDS.format({ record, line: index + 1, text, group, second }, { line: index + 1, source: undefined });
    expect(line.endsWith('}\n')).toBe(true);
    return JSON.parse(line);
  });
}

test.each<[DocumentFormName, string]>([
  ['records', '"utc_offset":"+0200","session_id":"m050aivd","runtime_tag":"PHP"'],
  ['ecs', '"labels":{"session_id":"m050aivd"}'],
  ['otel', '{"key":"session.id","value":{"stringValue":"m050aivd"}}'],
])('--as %s shows the session id of a load failure, and nothing where there is none', (name, shown) => {
  const form = documentFormOf(name);
  const documentOf = (text: string): string => {
    const record = parseRecord(text);
    if (record === undefined) throw new Error(`${text} is no record`);
    return form.format({ record, line: 1, text, group: 1, second: 0 }, { line: 1, source: undefined });
  };
  expect(documentOf(FAILURE.replace('PHP', '<m050aivd> PHP'))).toContain(shown);
  expect(documentOf(FAILURE)).not.toMatch(/session[._]id/);
});

describe('records', () => {
  test('a target that is no UTF-8 has U+FFFD in it, and its bytes beside it', () => {
    expect(jsonOf('/\xff', 0)[0]).toMatchObject({ request_target: '/\ufffd', request_target_base64: 'L/8=' });
    expect(jsonOf('/\xc5\xbc', 0)[0]).not.toHaveProperty('request_target_base64');
  });

  test.each([
    [undefined, null],
    [-62_167_219_200 - 356_400, '-000001-12-27T21:00:00Z'],
    [253_402_300_799 + 359_940, '+010000-01-05T03:58:59Z'],
  ])('the instant of second %p; no group is null', (second, instant) => {
    expect(jsonOf('/', second)[0]).toMatchObject({ instant, group: null });
  });
});
