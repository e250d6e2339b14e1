import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { REPLAY } from '../../../src/cli/replay/command.js';
import { resolveReplay } from '../../../src/cli/replay/run.js';
import { parsedOptions, refusalOf, type Typed } from '../../support/parsed-options.js';
import { expectRefused } from '../../support/call.js';
import { makeFolder } from '../../support/run.js';

function resolve(given: Typed) {
  return resolveReplay(parsedOptions(REPLAY.options, given));
}

describe('resolveReplay', () => {
  test.each<[Typed, unknown, number | undefined]>([
    [{}, undefined, undefined],
    [{ speed: '10' }, undefined, 10],
    [{ start: '1000' }, { start: 1_000_000, speed: 1 }, undefined],
    // The gaps of a list that is re-timed are divided once.
    [{ start: '1000', speed: '10' }, { start: 1_000_000, speed: 10 }, 1],
  ])('%j', (raw, retiming, pace) => {
    const options = resolve(raw);
    expect(options.retiming && { start: options.retiming.startAt(), speed: options.retiming.speed }).toEqual(retiming);
    expect(options.pace).toBe(pace);
  });

  test('--live starts now and plays in real time, unless another pace or start is given', () => {
    const before = Date.now();
    const { retiming, pace } = resolve({ live: true });
    expect({ speed: retiming?.speed, pace }).toEqual({ speed: 1, pace: 1 });
    expect(retiming?.startAt()).toBeGreaterThanOrEqual(before);
    expect(resolve({ live: true, speed: '10' }).retiming?.speed).toBe(10);
    expect(resolve({ live: true, start: '1000' }).retiming?.startAt()).toBe(1_000_000);
  });

  test('now is when the first request comes, not when options are read', () => {
    const before = Date.now();
    const start = resolve({ start: 'now' }).retiming?.startAt() ?? 0;
    expect(start).toBeGreaterThanOrEqual(before);
    expect(start).toBeLessThanOrEqual(Date.now());
  });

  test('values and options that are refused', async () => {
    await expectRefused('replay', makeFolder(), {
      "--install-root ''": '--install-root: "" is empty; give a text, or leave it out',
      '--timezone Mars/Olympus':
        '--timezone: "Mars/Olympus" is not a time zone that this Node knows; give an IANA name such as Europe/Warsaw',
      "--plugins ''": '--plugins: "" is empty; give a text, or leave it out',
      '--plugins a,,b': '--plugins: "a,,b" is empty; give a text, or leave it out',
      '--plugins a,a': '--plugins: "a,a" lists a plugin twice; list each plugin once',
      '--prefixes mail': '--prefixes: applies to access logs only; give --from access-log too',
      "--from access-log --prefixes 'a b'":
        '--prefixes: "a b" holds a space or a control character; percent-encode it (a space is %20)',
      "--from access-log --prefixes ''": '--prefixes: "" is empty; give prefixes such as mail,webmail',
      '--from access-log --prefixes a --every-line': '--prefixes: cannot be combined with --every-line; give one of the two',
      '--keys time=t': '--keys: applies to access logs only; give --from access-json too',
      '--from access-log --keys time=t': '--keys: applies to JSON only; give --from access-json too',
      '--from access-json --keys time': '--keys: "time" is not a name=key pair; give one such as target=request.uri',
      '--from access-json --keys time=t,when=t':
        '--keys: "when" is not a value of a request; give one of time, method, target, status',
      '--from access-json --keys time=t,time=u': '--keys: "time" is named twice; name each value once',
      '--loop 0': '--loop: "0" is not a whole number from 1 on; give one such as 1000, or forever',
      '--start soon':
        '--start: "soon" is not a timestamp; give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time',
      '--speed=-1': '--speed: "-1" is not a decimal number above 0; give one such as 1, 50 or 0.5',
      '--mark ?': '--mark: "?" is not a parameter name; give letters, digits or ._~-, such as r',
      'a.csv b.csv': 'replay: several request lists are not read as one; name one, or give --from access-log',
    });
  });

  test('the keys of access logs in JSON', () => {
    const accessLog = { format: 'json', everyLine: false, keys: { time: 'a.b', target: 'c=d' } };
    expect(resolve({ from: 'access-json', keys: 'time=a.b, target=c=d' }).accessLog).toEqual(accessLog);
  });

  test.each<[string, string | Buffer, string]>([
    [
      'no JSON',
      '{',
      'the deployment file is not JSON: "Expected property name or \'}\' in JSON at position 1"; write it as {"installRoot": "/srv/mail"}',
    ],
    ['no UTF-8', Buffer.from('{"installRoot": "/\xff"}', 'latin1'), 'the deployment file is not UTF-8; save it as UTF-8'],
    [
      'an unknown key',
      '{"root": 1}',
      '"root" is not a key of a deployment; the keys are installRoot, runtimeTag, scriptExtension, library, loaderFile, loaderLine, sessionFile, sessionLine, timezone, plugins, dialect, pluginsFolder, loaderPath, sessionPath, deprecation, driver',
    ],
    ['a wrong type', '{"loaderLine": "x"}', '"loaderLine" is not a line number; give a whole number from 1 on'],
    [
      'a line break',
      '{"library": "a\\nb"}',
      '"library" holds a space, a control character or half a surrogate pair; give a text that can stand in a record',
    ],
    ['too much', ' '.repeat((1 << 20) + 1), 'the deployment file is larger than 1 MiB; check that it is the right file'],
  ])('refuses a deployment file with %s', (_what, content, message) => {
    const path = join(makeFolder(), 'site.json');
    writeFileSync(path, content);
    expect(refusalOf(() => resolve({ deployment: path }))).toBe(`${path}: ${message}`);
  });
});
