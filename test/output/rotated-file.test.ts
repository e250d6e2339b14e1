import { execSync } from 'node:child_process';
import { chmodSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openDestination } from '../../src/output/open-destination.js';
import { ROTATION_METHODS } from '../../src/output/rotation.js';
import { namesOf } from '../../src/wording.js';
import { openLog, QUIET, ROTATION, takeSteps, type Given } from '../support/opened-log.js';
import { asOrdinaryUser } from '../support/ordinary-user.js';
import { packetOf } from '../support/packets.js';
import { makeFolder, PROJECT, runNode } from '../support/run.js';

/** The message of a write or an opening that fails, about files in a folder. */
async function messageOf(failing: Promise<unknown>, folder: string): Promise<string> {
  const error: unknown = await failing.catch((thrown: unknown) => thrown);
  return String(error)
    .replaceAll(`${folder}/`, '')
    .replace(/^CallError: /, '');
}

describe.each(namesOf(ROTATION_METHODS))('by %s', (method) => {
  test.each<[string, Omit<Given, 'rotation'> & { size: number; keep?: number }, readonly string[], readonly string[]]>([
    ['no file grows beyond its size', { size: 6 }, ['aa bb cc'], ['aa bb', 'cc']],
    ['however it is cut into packets', { size: 6 }, ['aa', 'bb', 'cc'], ['aa bb', 'cc']],
    ['pieces that do not fit are in the next', { size: 5 }, ['aa bb cc'], ['aa', 'bb', 'cc']],
    ['a larger piece has a file of its own', { size: 4 }, ['aa bbbbbbbb c d'], ['aa', 'bbbbbbbb', 'c d']],
    ['each piece may be larger', { size: 1 }, ['aa', 'bb'], ['aa', 'bb']],
    ['what fits stays', { size: 100 }, ['aa bb', 'cc'], ['aa bb cc']],
    [
      'the oldest of more files than are kept is dropped, and files beyond stay',
      { size: 1, keep: 2, before: { 'error.log.3': 'old\n' } },
      ['a', 'b', 'c', 'd'],
      ['old', 'b', 'c', 'd'],
    ],
    [
      'a file that is full already is rotated before the first write, half a record at its end is ended before',
      { size: 4, before: { 'error.log': 'torn', 'error.log.1': '1\n' } },
      ['a'],
      ['1', 'torn', 'a'],
    ],
    [
      'SIGHUP reopens the file between rotations',
      { size: 4 },
      ['a', '$ mv error.log error.log.9', 'SIGHUP', 'b c d'],
      ['a', 'b c', 'd'],
    ],
    [
      'a file that another program has renamed, or made anew, is not rotated',
      { size: 2 },
      ['a', '$ mv error.log error.log.9', 'b', '$ mv error.log error.log.8; touch error.log', 'c'],
      ['a', 'b', 'c'],
    ],
    ['what another program appends is taken into account', { size: 6 }, ['a', '$ echo 12 >> error.log', 'b'], ['a 12', 'b']],
  ])('%s', async (_what, { size, keep = 5, before }, steps, files) => {
    const opened = await openLog({ rotation: { maxBytes: size, keep, method }, before });
    expect(await takeSteps(opened, steps)).toEqual(files);
  });

  test('whatever is written, nothing is lost or doubled, and each file ends with a piece', async () => {
    const lines = fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 6 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (sizes, maxBytes, isContinued) => {
        const rotation = { maxBytes, method, keep: Infinity };
        const { log, contents, folder } = await openLog({ rotation, before: isContinued ? { 'error.log': 'old\n' } : {} });
        const packets = sizes.map((packet, index) => packet.map((size) => String(index).repeat(size)));
        for (const packet of packets) await log.write(packetOf(...packet));
        log.close();
        const all = packets.flat().map((line) => `${line}\n`);
        expect(contents().join('')).toBe((isContinued ? 'old\n' : '') + all.join(''));
        for (const content of contents().filter((file) => file !== 'old\n')) {
          expect(content === '' || content.endsWith('\n')).toBe(true);
          expect(content.length <= maxBytes || content.indexOf('\n') === content.length - 1).toBe(true);
        }
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    [
      5000,
      [5000, 5999, 6000, 6999, 7001, 12_500, 12_999, 13_000],
      ['5000\n5999\n', '6000\n6999\n', '7001\n', '12500\n12999\n', '13000\n'],
    ],
    // A file without a piece is not rotated.
    [0, [1500, 1999], ['1500\n1999\n']],
  ])('after each second, counted from the beginning at %i ms: %j', async (begin, moments, files) => {
    let time = begin;
    const { log, contents } = await openLog({ rotation: { everyMs: 1000, method, now: () => time } });
    for (const moment of moments) {
      time = moment;
      await log.write(packetOf(String(moment)));
    }
    log.close();
    expect(contents()).toEqual(files);
  });

  test.each([
    ['a folder', 'mkdir error.log.2', 'is a folder'],
    ['a link', 'ln -s error.log error.log.2', 'is not a regular file'],
    ['the input', 'mv input error.log.2', 'is the input file'],
  ])('a name that is taken by %s ends the run before anything is renamed', async (_what, take, message) => {
    const { log, folder, contents } = await openLog({ rotation: { maxBytes: 2, method }, before: { input: '' } });
    for (const line of ['a', 'b']) await log.write(packetOf(line));
    execSync(take, { cwd: folder });
    const said = await messageOf(log.write(packetOf('c')), folder);
    log.close(new Error('failed'));
    expect(said).toBe(`error.log.2: ${message}; move it away, because rotation needs the name`);
    expect(log.written).toBe(2);
    rmSync(join(folder, 'error.log.2'), { recursive: true });
    expect(contents()).toEqual(['a\n', 'b\n']);
  });

  test('a folder that may not be written ends the run, and the file is as it was', async () => {
    const { log, folder, path, contents } = await openLog({ rotation: { maxBytes: 2, method } });
    await log.write(packetOf('a'));
    chmodSync(folder, 0o555);
    const message = await asOrdinaryUser(() => messageOf(log.write(packetOf('b')), folder));
    log.close(new Error('failed'));
    chmodSync(folder, 0o755);
    expect(message).toBe(`${folder}: permission denied; check who owns it and its mode`);
    expect(contents()).toEqual(['a\n']);
    expect(statSync(path).size).toBe(2);
  });
});

describe('what cannot be rotated is refused when it is opened', () => {
  test.each([
    [
      'a folder with the first name',
      'mkdir error.log.1',
      'error.log.1: is a folder; move it away, because rotation needs the name',
    ],
    ['a symbolic link', 'ln -s x error.log', 'error.log: a symbolic link cannot be rotated; name the file that it leads to'],
    ['a FIFO', 'mkfifo error.log', 'error.log: only a regular file can be rotated; name one, or leave the rotation out'],
    ['a missing folder', 'rmdir .', 'error.log: its folder does not exist; make the folder, or check the path'],
  ])('%s', async (_what, make, message) => {
    const folder = makeFolder();
    execSync(make.replace(' .', ` ${folder}`), { cwd: folder });
    const opening = openDestination(join(folder, 'error.log'), { ...QUIET, rotation: ROTATION });
    expect(await messageOf(opening, folder)).toBe(message);
  });

  test('a folder without write permission', async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o555);
    // Another user may not be able to read the project, which may stand below a folder of root.
    const program = makeFolder();
    execSync(`cp -r '${PROJECT}/dist/cli' . && chmod -R a+rX .`, { cwd: program });
    const call = `
      if (process.getuid() === 0) process.setuid(65534);
      const { main } = await import('${program}/cli/main.cjs');
      await main(['node', 'webmail-diaglog', 'replay', '--rotate', '1MB', '-o', '${folder}/error.log', '/dev/null']);`;
    const { stderr } = await runNode(['--input-type=module', '--eval', call]);
    expect(stderr).toBe(`webmail-diaglog: ${folder}: permission denied; check who owns it and its mode\n`);
  });
});
