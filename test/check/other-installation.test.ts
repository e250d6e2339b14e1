import { describe, expect, test } from '@jest/globals';
import { createDeployment, type DeploymentOptions } from '../../src/log/deployment.js';
import { checkText } from '../support/checked.js';
import { groupAt, SECOND } from '../support/records.js';

/** The log of groups one second apart. */
const logOf = (options: DeploymentOptions = {}, groups = 2): string =>
  Array.from({ length: groups }, (_, index) => groupAt(SECOND + index, '/mail/', createDeployment(options))).join('');

const GROUP = logOf({}, 1);
const BROKEN_GROUP = GROUP.replace(/.*html5_notifier.*\n/, '').replace('line 119', 'line 120');

const isOther = async (log: string): Promise<boolean> => (await checkText(log)).result.isOfOtherInstallation;

describe('a log is that of another installation', () => {
  test.each<[string, DeploymentOptions]>([
    ['several fields', { installRoot: '/srv/mail', timezone: 'Asia/Kolkata', plugins: ['a', 'b'], loaderLine: 200 }],
    ['an install root', { installRoot: '/srv/mail' }],
    ['a time zone of the same offset', { timezone: 'Europe/Berlin' }],
    ['fewer plugins', { plugins: ['carddav', 'sieverules'] }],
    ['a line number', { sessionLine: 120 }],
  ])('that differs in %s', async (_what, options) => {
    expect(await isOther(logOf(options))).toBe(true);
  });

  test('of a single group, if its install root differs', async () => {
    expect(await isOther(logOf({ installRoot: '/srv/mail' }, 1))).toBe(true);
    expect(await isOther(logOf({ sessionLine: 120 }, 1))).toBe(false);
  });

  test('whose groups agree but for one that is missing a record', async () => {
    const options = { installRoot: '/srv/mail', sessionLine: 120 };
    expect(await isOther(logOf(options).replace(/.*carddav.*\n/, '') + logOf(options))).toBe(true);
  });
});

describe('a log is not that of another installation', () => {
  test.each([
    ['in the other dialect', logOf({ dialect: 'php' })],
    ['of a group that no deployment writes', GROUP.replaceAll('roundcube/plugins', 'plugins')],
    ['with one group of the deployment', GROUP + logOf({ installRoot: '/srv/mail' })],
    ['without a whole group', logOf({ installRoot: '/srv/mail' }).slice(-200)],
    ['of a single group with a missing record and a wrong line number', BROKEN_GROUP],
    ['of a group with a missing record and one with a wrong line number', BROKEN_GROUP + GROUP.replace('line 193', 'line 194')],
    ['of a program', '#!/bin/sh\n'],
    ['that is empty', ''],
  ])('%s', async (_what, log) => {
    expect(await isOther(log)).toBe(false);
  });
});
