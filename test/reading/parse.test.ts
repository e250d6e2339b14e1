import { outcomeOf } from '../support/bytes.js';
import { describe, expect, test } from '@jest/globals';
import { DataError } from '../../src/errors.js';
import { createDeployment } from '../../src/log/deployment.js';
import { findFirstGroup, parse } from '../../src/reading/parse.js';
import { inferLogDeployment } from '../../src/reading/inferred-groups.js';
import { LogFiles } from '../../src/reading/log-files.js';
import { failing, filesOf } from '../support/logs.js';
import { groupAt, SECOND } from '../support/records.js';

const SITE = createDeployment({ plugins: ['a', 'b'] });

/** A group of three records. */
const groupFor = (target: string): string => groupAt(SECOND, target, SITE);

/** A message that ends in a remedy, whole. */
const error = (message: string): unknown => expect.objectContaining({ name: 'DataError', message });

describe('parse', () => {
  const LOG = `${groupFor('/1')}x\n${groupFor('/2')}`;

  test('ends at the first foreign line where that is to stop, at its place in its own file', async () => {
    const { items, error: ending } = await outcomeOf(parse(filesOf(LOG, `${groupFor('/3')}y\n`), { foreign: 'stop' }));
    expect(items.map(({ target }) => target)).toEqual(['/1']);
    expect(ending).toEqual(error('1:4: "x" is not a record of this log; take it out, or give options.foreign: skip'));
    const inSecond = await outcomeOf(parse(filesOf(groupFor('/1'), `${groupFor('/3')}y\n`), { as: 'records', foreign: 'stop' }));
    expect(inSecond.items).toHaveLength(6);
    expect(inSecond.error).toEqual(error('2:4: "y" is not a record of this log; take it out, or give options.foreign: skip'));
  });

  test('refuses a log of records that give no request, where requests are asked for', async () => {
    const end = groupFor('/1').split('\n')[2] ?? '';
    const message =
      '1: 1 incomplete group passed over (begins at line 2); no request has all its load failures, inspect the log with options.as: records';
    expect(await outcomeOf(parse(filesOf(`x\n${end}\n`)))).toEqual({ items: [], error: error(message) });
    expect(await outcomeOf(parse(filesOf(`x\n${end}\n`), { as: 'records' }))).toMatchObject({ items: [{ group: undefined }] });
  });
});

describe('the deployment of a log', () => {
  const REMEDY = 'give another log';
  const [first = '', second = '', end = ''] = groupFor('/1').split(/(?<=\n)/);

  test('is that of its first complete group', async () => {
    const other = groupAt(SECOND, '/', createDeployment({ runtimeTag: 'X' }));
    const log = `x\n${first}${groupFor('/2').repeat(2)}${other}`;
    expect(await inferLogDeployment(filesOf(log), REMEDY)).toEqual({ deployment: SITE, hasSessions: false });
    expect(await findFirstGroup(filesOf(log))).toMatchObject({ line: 3, failures: [{ requestTarget: '/2' }, {}] });
  });

  test('is read no further than the first complete group', async () => {
    // The plugins are inferred from the first 512 records.
    const chunks = failing(groupFor('/1').repeat(200), new Error('read on'));
    expect(await inferLogDeployment(new LogFiles([{ source: 'x', chunks }]), REMEDY)).toMatchObject({ deployment: SITE });
  });

  test('is the specified one where the log is empty', async () => {
    expect(await inferLogDeployment(filesOf('', ''), REMEDY)).toMatchObject({ deployment: createDeployment() });
  });

  test.each([
    ['of foreign lines alone', 'x\n', '1, 2: 1 foreign line passed over (at 1:1); no line is a record, check the file'],
    ['without a complete group', `x\n${end}${end}`, '1, 2: the log holds no complete group; give another log'],
    [
      'whose first complete group no deployment writes',
      `${end}${first}${second.replace('line 193', 'line 9')}${end}`,
      '1:2: no deployment writes the first complete group: its records differ in what is one for a whole deployment; give another log',
    ],
  ])('is refused of a log %s', async (_what, log, message) => {
    await expect(inferLogDeployment(filesOf(log, ''), REMEDY)).rejects.toThrow(DataError);
    await expect(inferLogDeployment(filesOf(log, ''), REMEDY)).rejects.toEqual(error(message));
  });

  test('the deployment is the first one that writes two groups, else that of the first group that one writes', async () => {
    const odd = groupFor('/0').replace('line 119', 'line 0');
    const other = groupFor('/1').replace('line 119', 'line 120');
    for (const [log, sessionLine] of [
      [`${other}${groupFor('/2')}${groupFor('/3')}`, 119],
      [`${other}${groupFor('/2')}`, 120],
      [`${odd}${groupFor('/2')}`, 119],
    ] as const)
      expect(await inferLogDeployment(filesOf(log), REMEDY)).toMatchObject({ deployment: { sessionLine } });
  });

  test('no group is found in a log without a whole one, and what onForeign throws comes through', async () => {
    expect(await findFirstGroup(filesOf(end))).toBeUndefined();
    const onForeign = (): never => {
      throw new RangeError('stop');
    };
    await expect(findFirstGroup(filesOf(`x\n${groupFor('/1')}`), { onForeign })).rejects.toThrow('stop');
  });
});
