import { describe, expect, test } from '@jest/globals';
import { Assembler } from '../../src/log/assemble.js';
import type { Group } from '../../src/log/open-group.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { inferDeploymentOptions, NoDeploymentError } from '../../src/log/infer-deployment.js';
import { parseRecord } from '../../src/log/line.js';
import { Tally } from '../../src/log/tally.js';

const SITE = createDeployment({ plugins: ['a', 'b'] });
const GROUP = formatGroup({ millisecond: 1_747_562_400_000, method: 'GET', target: '/' }, SITE);

/** The group of a log of one group. */
function groupOf(log: string): Group {
  const records = log.split('\n').flatMap((line) => parseRecord(line) ?? []);
  const paths = records.flatMap((record) => (record.kind === 'load_failure' ? [record.pluginFilePath] : []));
  const assembler = new Assembler(paths, new Tally());
  for (const [index, record] of records.entries()) assembler.add(record, index + 1);
  const [group] = assembler.takeWhole();
  if (group === undefined) throw new Error('no whole group');
  return group;
}

describe('inferDeploymentOptions', () => {
  test.each([
    ['the specified one', {}],
    ['a root that is the root of the file system', { installRoot: '/' }],
    ['a root that holds what stands below one', { installRoot: '/program/lib/x/plugins/y' }],
    ['names with slashes in them', { library: 'a/b', loaderFile: 'c/d', sessionFile: 'c/e', plugins: ['x/y', 'x'] }],
    ['names with dots in them', { plugins: ['a.b', 'c'], scriptExtension: 'php.inc' }],
    ['no ASCII', { installRoot: '/srv/żółw', runtimeTag: '«PHP»', plugins: ['ł'] }],
  ])('%s', (_what, options) => {
    const site = createDeployment(options);
    const log = formatGroup({ millisecond: 0, method: 'GET', target: '/' }, site);
    const inferred = createDeployment(inferDeploymentOptions(groupOf(log)));
    expect(formatGroup({ millisecond: 0, method: 'GET', target: '/' }, inferred)).toBe(log);
    expect(inferred.plugins).toEqual(site.plugins);
  });

  const shape = 'the paths of its plugins, of the loader and of the session component are not those of one folder';
  const differ = 'its records differ in what is one for a whole deployment';
  test.each([
    ['plugins elsewhere than the loader', GROUP.replaceAll('/var/www/roundcube/plugins', '/mnt/plugins'), shape],
    ['a plugin whose file has another name', GROUP.replace('/a/a.php', '/a/x.php'), shape],
    ['a loader of no library', GROUP.replaceAll('lib/Roundcube/rcube_plugin_api', 'rcube_plugin_api'), shape],
    ['a session component elsewhere', GROUP.replace('Roundcube/rcube_session', 'Other/rcube_session'), shape],
    ['another line in one record', GROUP.replace('line 193', 'line 194'), differ],
    ['another tag in one record', GROUP.replace('PHP Deprecated', 'HHVM Deprecated'), differ],
    ['a line 0', GROUP.replace('line 119', 'line 0'), 'its sessionLine is not a line number'],
    ['a zone that is none', GROUP.replace('Europe/Warsaw', 'Mars/Olympus'), 'its timezone is no time zone that this Node knows'],
    [
      'the offset of another zone',
      GROUP.replaceAll('+0200', '+0300'),
      'its UTC offset is not that of its time zone at that time',
    ],
    [
      'an offset that is none',
      GROUP.replaceAll('18-May-2025', '31-Dec-9999').replaceAll('+0200', '-9999'),
      'its UTC offset is not that of its time zone at that time',
    ],
    [
      'a path that is no UTF-8',
      GROUP.replaceAll('roundcube', '\xff'),
      'a path or a name in it is no UTF-8, which a deployment file must be',
    ],
  ])('none for %s', (_what, log, message) => {
    expect(() => inferDeploymentOptions(groupOf(log))).toThrow(NoDeploymentError);
    expect(() => inferDeploymentOptions(groupOf(log))).toThrow(message);
  });
});
