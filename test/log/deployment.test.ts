import { describe, expect, test } from '@jest/globals';
import { createDeployment, DeploymentError, parseDeployment } from '../../src/log/deployment.js';

describe('createDeployment', () => {
  test('a text becomes its UTF-8 bytes', () => {
    expect(createDeployment({ installRoot: '/srv/żółw' }).installRoot).toBe('/srv/\xc5\xbc\xc3\xb3\xc5\x82w');
  });

  test.each([
    ['/srv/mail/', '/srv/mail'],
    ['/srv/mail//', '/srv/mail'],
    ['/', ''],
  ])('the install root %s is %j before /plugins', (given, expected) => {
    expect(createDeployment({ installRoot: given }).installRoot).toBe(expected);
  });

  test('the plugins and the program are below the install root unless their paths are given', () => {
    expect(createDeployment({ installRoot: '/srv/m', library: 'L', loaderFile: 'l', sessionFile: 's' })).toMatchObject({
      pluginsFolder: '/srv/m/plugins',
      loaderPath: '/srv/m/program/lib/L/l',
      sessionPath: '/srv/m/program/lib/L/s',
    });
    const paths = { pluginsFolder: '/p', loaderPath: '/x/{library}/l', sessionPath: '/y/s' };
    expect(createDeployment({ installRoot: '/srv/m', library: 'L', ...paths })).toMatchObject(paths);
  });

  test('takes texts of 4096 bytes, and 500 plugins', () => {
    const plugins = Array.from({ length: 500 }, (_, n) => `p${String(n)}`);
    expect(createDeployment({ plugins }).plugins).toEqual(plugins);
    expect(createDeployment({ installRoot: `/${'x'.repeat(4095)}` }).installRoot).toHaveLength(4096);
  });
});

describe('parseDeployment', () => {
  test('a key whose value is undefined is left out', () => {
    expect(parseDeployment({ timezone: undefined })).toEqual(createDeployment());
  });

  test.each([
    [null, 'deployment is not an object; write it as {"installRoot": "/srv/mail", …}'],
    [[], 'deployment is not an object; write it as {"installRoot": "/srv/mail", …}'],
    ['x', 'deployment is not an object; write it as {"installRoot": "/srv/mail", …}'],
    [
      { root: '/x' },
      /^root is not a key of a deployment; the keys are installRoot, runtimeTag, .*, dialect, pluginsFolder, loaderPath, sessionPath, deprecation, driver$/,
    ],
    [JSON.parse('{"__proto__": 1}'), /^__proto__ is not a key of a deployment/],
    [{ installRoot: 1 }, 'installRoot is not a string; give a string'],
    [{ installRoot: null }, 'installRoot is not a string; give a string'],
    [{ runtimeTag: '' }, 'runtimeTag is empty; give a text, or leave it out'],
    [
      { installRoot: '/a b' },
      'installRoot holds a space, a control character or half a surrogate pair; give a text that can stand in a record',
    ],
    [{ library: 'a\nb' }, /^library holds a space, a control character/],
    [{ loaderFile: 'a\u001b[31m' }, /^loaderFile holds a space, a control character/],
    [{ sessionFile: '\ud800' }, /^sessionFile holds .* half a surrogate pair/],
    [{ loaderLine: '193' }, 'loaderLine is not a line number; give a whole number from 1 on'],
    [{ loaderLine: 0 }, 'loaderLine is not a line number; give a whole number from 1 on'],
    [{ sessionLine: 1.5 }, 'sessionLine is not a line number; give a whole number from 1 on'],
    [{ timezone: 'Mars/Olympus' }, 'timezone is not a time zone that this Node knows; give an IANA name such as Europe/Warsaw'],
    [{ timezone: '+02:00' }, /^timezone is not a time zone that this Node knows/],
    [{ plugins: 'carddav' }, 'plugins is not a list; give a list of plugin names'],
    [{ plugins: [] }, 'plugins is empty; give at least one plugin name'],
    [{ plugins: ['a', 1] }, 'plugins is not a string; give a string'],
    [{ plugins: ['a', ''] }, 'plugins is empty; give a text, or leave it out'],
    [{ plugins: ['a', 'a'] }, 'plugins lists a plugin twice; list each plugin once'],
    [{ pluginsFolder: '' }, 'pluginsFolder is empty; give a text, or leave it out'],
    [{ loaderPath: '/a b' }, /^loaderPath holds a space/],
    [{ deprecation: 'false' }, 'deprecation is not true or false; give true or false'],
    [{ driver: 'nope' }, /^driver is not a driver; give one of file/],
    [{ dialect: 'PHP' }, 'dialect is not a dialect; give one of spec, php'],
    [{ installRoot: `${'/'.repeat(1_000_000)}x` }, 'installRoot is longer than 4096 bytes; give a shorter text'],
    [{ plugins: ['a', 'ż'.repeat(2049)] }, 'plugins is longer than 4096 bytes; give a shorter text'],
    [{ plugins: Array.from({ length: 501 }, (_, n) => `p${String(n)}`) }, 'plugins lists more than 500 plugins; list fewer'],
  ])('refuses %.60j', (options, message) => {
    expect(() => parseDeployment(options)).toThrow(DeploymentError);
    expect(() => parseDeployment(options)).toThrow(message);
  });
});
