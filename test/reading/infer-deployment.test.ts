import { describe, expect, test } from '@jest/globals';
import { createDeployment, DeploymentError } from '../../src/log/deployment.js';
import { inferDeploymentOptions, NoDeploymentError, type InferredOptions } from '../../src/reading/infer-deployment.js';
import { findFirstGroup } from '../../src/reading/parse.js';
import { chunksOf } from '../support/bytes.js';
import { groupAt, SECOND } from '../support/records.js';

const SITE = createDeployment({ plugins: ['a', 'b'] });
const GROUP = groupAt(SECOND, '/', SITE);

async function inferFrom(log: string): Promise<InferredOptions> {
  const group = await findFirstGroup(chunksOf(log));
  if (group === undefined) throw new Error('no whole group');
  return inferDeploymentOptions(group);
}

describe('inferDeploymentOptions', () => {
  test.each([
    ['the specified one', {}],
    ['a root that is the root of the file system', { installRoot: '/' }],
    ['a root that holds what stands below one', { installRoot: '/program/lib/x/plugins/y' }],
    ['names with slashes in them', { library: 'a/b', loaderFile: 'c/d', sessionFile: 'c/e', plugins: ['x/y', 'x'] }],
    ['names with dots in them', { plugins: ['a.b', 'c'], scriptExtension: 'php.inc' }],
    ['a path as long as can be', { loaderFile: 'x'.repeat(4096 - '/var/www/roundcube/program/lib/Roundcube/'.length) }],
    ['no ASCII', { installRoot: '/srv/żółw', runtimeTag: '«PHP»', plugins: ['ł'] }],
  ])('%s', async (_what, options) => {
    const site = createDeployment(options);
    const log = groupAt(0, '/', site);
    const inferred = createDeployment(await inferFrom(log));
    expect(groupAt(0, '/', inferred)).toBe(log);
    expect(inferred.plugins).toEqual(site.plugins);
  });

  /** Other folders, as Debian's package has them, and names below them that tempt to be folders. */
  const SPLIT = { installRoot: '/usr/share/roundcube', pluginsFolder: '/var/lib/roundcube/plugins' };

  test.each([
    ['plugins elsewhere than the program', SPLIT],
    ['plugins elsewhere, one of them with a slash in its name', { ...SPLIT, plugins: ['a/b', 'c'] }],
    ['a version behind the name of a folder in it', { installRoot: '/opt/roundcube/roundcube.1.6' }],
    ['plugins in a folder of another name', { ...SPLIT, pluginsFolder: '/srv/extensions' }],
    ['a loader in another folder', { loaderPath: '/var/www/roundcube/program/include/rcube_plugin_api.php' }],
    ['a session component in another folder', { sessionPath: '/var/www/roundcube/program/lib/Other/rcube_session.php' }],
    [
      'the paths of Windows',
      {
        installRoot: 'D:\\Websites\\Mail',
        loaderPath: 'D:\\Websites\\Mail\\program\\lib\\Roundcube\\rcube_plugin_api.php',
        sessionPath: 'D:\\Websites\\Mail\\program\\lib\\Roundcube\\rcube_session.php',
      },
    ],
    ['a program without a folder', { pluginsFolder: '/p', loaderPath: 'loader.php', sessionPath: 'session.php' }],
  ])('%s, with a deprecation record and without', async (_what, options) => {
    for (const deprecation of [true, false]) {
      const site = createDeployment({ ...options, deprecation });
      const log = groupAt(0, '/', site);
      const inferred = await inferFrom(log);
      expect(groupAt(0, '/', createDeployment(inferred))).toBe(log);
      expect(inferred.plugins).toEqual(site.plugins);
      // A root that paths follow from is told, not the paths.
      expect(Object.keys(inferred)).toEqual(
        expect.arrayContaining(Object.keys(options).filter((key) => key !== 'sessionPath' || deprecation)),
      );
    }
  });

  test.each([
    ['the default zone, where that has the offset', '+0100', 'Europe/Warsaw'],
    ['a zone of constant whole hours', '-0500', 'Etc/GMT+5'],
    ['the first zone by name', '+0530', 'Asia/Calcutta'],
  ])('without a deprecation record, its time zone is %s', async (_what, offset, zone) => {
    const log = groupAt(0, '/', createDeployment({ deprecation: false })).replaceAll('+0100', offset);
    expect(await inferFrom(log)).toMatchObject({ timezone: zone, deprecation: false });
  });

  const shape = 'the paths of its plugins are not those of one folder';
  const offset = 'its UTC offset is not that of its time zone at that time';
  const differ = 'its records differ in what is one for a whole deployment';
  test.each([
    ['a plugin whose file has another name', GROUP.replace('/a/a.php', '/a/x.php'), shape],
    ['plugins of two extensions', GROUP.replace('/b/b.php', '/b/b.inc'), shape],
    ['plugins without an extension', GROUP.replaceAll(/\/([ab])\/\1\.php/g, '/$1/$1.'), shape],
    ['a path that is longer', GROUP.replaceAll('rcube_plugin_api', 'x'.repeat(4097)), 'its loaderFile is longer than 4096 bytes'],
    ['a plugin in a folder of its own', GROUP.replace('roundcube/plugins/a', 'roundcuba/plugins/a'), shape],
    ['a plugin without a name', GROUP.replace('/a/a.php', '//.php'), shape],
    ['another loader in one record', GROUP.replace('rcube_plugin_api', 'rcube_other_api'), differ],
    ['another tag in one load failure', GROUP.replace('PHP Error', 'HHVM Error'), differ],
    [
      'an offset of no whole minute, which the log cuts',
      groupAt(0, '/', createDeployment({ timezone: 'Africa/Monrovia', plugins: ['a'] })),
      offset,
    ],
    ['a line 0', GROUP.replace('line 119', 'line 0'), 'its sessionLine is not a line number'],
    [
      'a zone that is none',
      GROUP.replace('Europe/Warsaw', 'Mars/Olympus'),
      'its timezone is not a time zone that this Node knows',
    ],
    ['the offset of another zone', GROUP.replaceAll('+0200', '+0300'), offset],
    ['an offset of more than 59 minutes', GROUP.replaceAll('+0200', '+0160'), offset],
    [
      'a path that is no UTF-8',
      GROUP.replaceAll('roundcube', '\xff'),
      'a path or a name in it is not UTF-8, which a deployment file must be',
    ],
  ])('none for %s', async (_what, log, message) => {
    await expect(inferFrom(log)).rejects.toThrow(
      expect.objectContaining({ name: 'NoDeploymentError', message: expect.stringContaining(message) }),
    );
  });

  test('none for a group without load failures', () => {
    const group = { line: 1, failures: [], deprecation: undefined };
    expect(() => inferDeploymentOptions(group)).toThrow(new NoDeploymentError('the group lacks a record'));
  });

  test('the error has its cause where a deployment refuses a value', async () => {
    const cause: unknown = expect.any(DeploymentError);
    await expect(inferFrom(GROUP.replace('line 119', 'line 0'))).rejects.toThrow(expect.objectContaining({ cause }));
  });
});
