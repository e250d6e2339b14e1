import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { formatGroup, GroupRenderer, type LogRequest } from '../../src/log/group.js';
import { formatDeprecation, formatDescriptor, formatLoadFailure } from '../../src/log/record.js';
import { stampAt } from '../../src/log/timestamp.js';
import { deployment, request } from '../support/arbitraries.js';

const SPECIFIED = createDeployment();

describe('formatGroup', () => {
  test('1.1, 2.3 a group is seven load failures, in the listed order, and one deprecation record', () => {
    const lines = formatGroup({ millisecond: 1747562400123, method: 'GET', target: '/mail/' }, SPECIFIED).split('\n');
    const plugins = lines
      .slice(0, 7)
      .map((line) => /^\[.{26}\]: PHP Error: Failed to load .*plugins\/(\w+)\/\1\.php/.exec(line)?.[1]);
    expect(plugins).toEqual(
      ['automatic_addressbook', 'carddav', 'html5_notifier', 'legacy_browser'].concat('markasjunk2', 'sauserprefs', 'sieverules'),
    );
    expect(lines[7]).toMatch(/^\[18-May-2025 12:00:00 Europe\/Warsaw\] PHP Deprecated: /);
    expect(lines.slice(8)).toEqual(['']);
  });

  test('without deprecation records, and with plugins below another folder than the program', () => {
    const site = createDeployment({ plugins: ['a', 'b'], pluginsFolder: '/p', loaderPath: '/l.php', deprecation: false });
    const logged = { millisecond: 0, method: 'GET', target: '/' };
    const group =
      '[01-Jan-1970 01:00:00 +0100]: PHP Error: Failed to load plugin file /p/a/a.php in /l.php on line 193 (GET /)\n' +
      '[01-Jan-1970 01:00:00 +0100]: PHP Error: Failed to load plugin file /p/b/b.php in /l.php on line 193 (GET /)\n';
    expect(formatGroup(logged, site)).toBe(group);
    expect(Buffer.from(new GroupRenderer(site).render(logged)).toString()).toBe(group);
  });

  test('6.1, 6.2 for any request: eight records, one timestamp, one descriptor, no stray line break', () => {
    fc.assert(
      fc.property(request, (logged) => {
        const records = formatGroup(logged, SPECIFIED).split('\n');
        expect(records.pop()).toBe('');
        expect(records).toHaveLength(8);
        const stamps = new Set(records.map((record) => /^\[(\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d) /.exec(record)?.[1]));
        expect(stamps.size).toBe(1);
        for (const record of records.slice(0, 7))
          expect(record.endsWith(` on line 193 (${logged.method} ${logged.target})`)).toBe(true);
        expect(records.join('')).not.toMatch(/[\r\n]/);
      }),
    );
  });

  test.each([
    ['a target that holds a record', { target: '/\n[18-May-2025 12:00:00 +0200]: PHP Error:' }],
    ['a time that is none', { millisecond: NaN }],
    ['no method', { method: '' }],
    ['no target', { target: '' }],
    ['a year of five digits', { millisecond: Date.UTC(10_000, 1) }],
  ])('refuses %s', (_what, fields) => {
    const bad = { millisecond: 0, method: 'GET', target: '/', ...fields };
    expect(() => formatGroup(bad, SPECIFIED)).toThrow(RangeError);
    expect(() => new GroupRenderer(SPECIFIED).render(bad)).toThrow(RangeError);
  });
});

describe('what JavaScript without types may give', () => {
  /** Calls a function with an argument that TypeScript would refuse. */
  const callWith = (work: (argument: never) => unknown, argument: unknown): unknown => Reflect.apply(work, undefined, [argument]);
  const request = { millisecond: 0, method: 'GET', target: '/' };

  const withMillisecond = 'millisecond is not a number; give Unix time in milliseconds';
  const withMethod = 'method is not a string; give one such as GET';
  const withTarget = 'target is not a string; give a path such as /mail/';
  test.each([
    [{ method: 'GET', target: '/' }, withMillisecond],
    [{ ...request, millisecond: '0' }, withMillisecond],
    [{ millisecond: 0, target: '/mail/' }, withMethod],
    [{ ...request, method: ['GET'] }, withMethod],
    [{ millisecond: 0, method: 'GET' }, withTarget],
    [{ ...request, target: 7 }, withTarget],
  ])('the request %j is refused: %s', (bad, message) => {
    const renderer = new GroupRenderer(SPECIFIED);
    renderer.render(request);
    const calls = [(given: LogRequest) => formatGroup(given, SPECIFIED), (given: LogRequest) => renderer.render(given)];
    for (const call of calls) expect(() => callWith(call, bad)).toThrow(new TypeError(message));
  });

  test.each([
    [{}, 'installRoot is missing'],
    [null, 'installRoot is missing'],
    [{ ...SPECIFIED, plugins: undefined }, 'plugins is missing'],
    [{ ...SPECIFIED, plugins: {} }, 'plugins has the wrong type'],
    [{ ...SPECIFIED, loaderLine: '9' }, 'loaderLine has the wrong type'],
  ])('the deployment %j is refused: %s', (bad, problem) => {
    const stamp = stampAt(0, SPECIFIED);
    const calls = [
      (site: Deployment) => formatGroup(request, site),
      (site: Deployment) => new GroupRenderer(site),
      (site: Deployment) => formatLoadFailure(stamp, 'carddav', 'GET /', site),
      (site: Deployment) => formatDeprecation(stamp, site),
    ];
    const message = `${problem}; make the deployment with createDeployment`;
    for (const call of calls)
      expect(() => callWith(call, bad)).toThrow(expect.objectContaining({ name: 'DeploymentError', message }));
  });

  test.each([{ ...SPECIFIED, timezone: 'Mars' }, { timezone: undefined }])('the time zone of %j is refused by its key', (bad) => {
    const message = 'timezone is not a time zone that this Node knows; give an IANA name such as Europe/Warsaw';
    expect(() => callWith((site: Deployment) => stampAt(0, site), bad)).toThrow(new RangeError(message));
  });

  test('a descriptor of no method, or no target, is refused', () => {
    const call = ([method, target]: readonly [string, string]): string => formatDescriptor(method, target);
    expect(() => callWith(call, [undefined, '/'])).toThrow(new TypeError(withMethod));
    expect(() => callWith(call, ['GET'])).toThrow(new TypeError(withTarget));
  });
});

describe('GroupRenderer', () => {
  test('renders the bytes of formatGroup, for any deployment and any order of requests', () => {
    fc.assert(
      fc.property(deployment, fc.array(request, { minLength: 1, maxLength: 8 }), (site, requests) => {
        const renderer = new GroupRenderer(site);
        // Twice, so that templates are used again with another second on them; and descriptors of one length.
        const others = ['/a', '/b'].flatMap((target) =>
          ['GET', 'PUT', 'HEAD'].map((method) => ({ millisecond: 0, method, target })),
        );
        for (const each of [...requests, ...requests, ...others])
          expect(Buffer.from(renderer.render(each)).toString('latin1')).toBe(formatGroup(each, site));
      }),
    );
  });

  test('renders seconds right where an offset is no whole minute', () => {
    const site = createDeployment({ timezone: 'Africa/Monrovia', plugins: ['a'] });
    const renderer = new GroupRenderer(site);
    // Around the change to whole minutes, and on the day after it.
    for (const start of [Date.UTC(1972, 0, 7, 0, 40), Date.UTC(1972, 0, 7, 23, 55)]) {
      for (let millisecond = start; millisecond < start + 600_000; millisecond += 1000) {
        const each = { millisecond, method: 'GET', target: '/' };
        if (Buffer.from(renderer.render(each)).toString() !== formatGroup(each, site)) throw new Error(String(millisecond));
      }
    }
  });

  test('renders on when its templates have been let go', () => {
    const renderer = new GroupRenderer(SPECIFIED);
    for (let index = 0; index < 20; index += 1) {
      const each = { millisecond: index * 1000, method: 'GET', target: `/${'x'.repeat(100_000 + (index % 7))}` };
      expect(Buffer.from(renderer.render(each)).equals(Buffer.from(formatGroup(each, SPECIFIED), 'latin1'))).toBe(true);
    }
  });
});
