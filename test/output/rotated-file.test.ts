import { execSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CallError } from '../../src/errors.js';
import { Packet } from '../../src/output/packet.js';
import type { Destination } from '../../src/output/destination.js';
import { openDestination } from '../../src/output/open-destination.js';
import { ROTATION_METHODS, type Rotation } from '../../src/output/rotation.js';
import { namesOf } from '../../src/wording.js';
import { asOrdinaryUser } from '../support/ordinary-user.js';
import { rotatedIn } from '../support/rotated-files.js';
import { makeFolder, PROJECT, runNode } from '../support/run.js';

const NEVER = new AbortController().signal;

/** A packet of pieces, each a line: `a`, `bb`, … Counts a group for each. */
function packetOf(...lines: readonly string[]): Packet {
  const packet = new Packet();
  for (const line of lines) packet.add({ bytes: Buffer.from(`${line}\n`), count: 1, origin: {} });
  return packet;
}

interface Opened {
  readonly log: Destination;
  readonly folder: string;
  readonly path: string;
  readonly warnings: string[];
  /** The content of `error.log` and the files that it became, the oldest first. */
  readonly contents: () => readonly string[];
}

const ROTATION: Rotation = { maxBytes: Infinity, everyMs: Infinity, method: 'rename', keep: 5 };

/** Opens `error.log` in a folder, to be rotated. @param before the names of files that are there before, and their content */
async function open(rotation: Partial<Rotation>, before: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const folder = makeFolder();
  const path = join(folder, 'error.log');
  for (const [name, content] of Object.entries(before)) writeFileSync(join(folder, name), content);
  const usedFiles = existsSync(join(folder, 'input')) ? [{ stats: statSync(join(folder, 'input')), role: 'input' } as const] : [];
  const warnings: string[] = [];
  const log = await openDestination(path, {
    usedFiles,
    noun: 'group',
    signal: NEVER,
    warn: (message) => warnings.push(message.replaceAll(`${folder}/`, '')),
    rotation: { ...ROTATION, ...rotation },
  });
  return { log, folder, path, warnings, contents: () => rotatedIn(folder) };
}

/** What an error says about files in a folder. */
function messageOf(error: unknown, folder: string): string {
  return error instanceof CallError ? error.message.replaceAll(`${folder}/`, '') : String(error);
}

describe.each(namesOf(ROTATION_METHODS))('by %s', (method) => {
  test.each<[number, readonly (readonly string[])[], readonly string[]]>([
    // No file is larger than 6 bytes.
    [6, [['aa', 'bb', 'cc']], ['aa\nbb\n', 'cc\n']],
    [6, [['aa'], ['bb'], ['cc']], ['aa\nbb\n', 'cc\n']],
    [5, [['aa', 'bb', 'cc']], ['aa\n', 'bb\n', 'cc\n']],
    // A larger piece has a file of its own.
    [4, [['aa', 'bbbbbbbb', 'c', 'd']], ['aa\n', 'bbbbbbbb\n', 'c\nd\n']],
    [1, [['aa'], ['bb']], ['aa\n', 'bb\n']],
    [100, [['aa', 'bb'], ['cc']], ['aa\nbb\ncc\n']],
  ])('no file grows beyond %i bytes: %j', async (maxBytes, packets, files) => {
    const { log, contents } = await open({ maxBytes, method });
    for (const lines of packets) await log.write(packetOf(...lines));
    log.close();
    expect(contents()).toEqual(files);
    expect(log.written).toBe(packets.flat().length);
  });

  test('whatever is written, nothing is lost or doubled, and each file ends with a piece', async () => {
    const lines = fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 6 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (sizes, maxBytes, isContinued) => {
        const { log, contents, folder } = await open(
          { maxBytes, method, keep: Infinity },
          isContinued ? { 'error.log': 'old\n' } : {},
        );
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

  test('the oldest of more files than are kept is dropped, and files beyond stay', async () => {
    const { log, folder } = await open({ maxBytes: 1, method, keep: 2 }, { 'error.log.3': 'old\n' });
    for (const line of ['a', 'b', 'c', 'd']) await log.write(packetOf(line));
    log.close();
    expect(readdirSync(folder).toSorted()).toEqual(['error.log', 'error.log.1', 'error.log.2', 'error.log.3']);
    expect(rotatedIn(folder)).toEqual(['old\n', 'b\n', 'c\n', 'd\n']);
  });

  test('a file that is full already is rotated before the first write, half a record at its end is ended before', async () => {
    const { log, contents, warnings } = await open({ maxBytes: 4, method }, { 'error.log': 'torn', 'error.log.1': '1\n' });
    await log.write(packetOf('a'));
    log.close();
    expect(contents()).toEqual(['1\n', 'torn\n', 'a\n']);
    expect(warnings).toEqual(['error.log: the file ended in half a record; a line feed was added']);
  });

  test('again and again after a time, counted from the beginning; a file without a piece is not rotated', async () => {
    let time = 5000;
    const { log, contents } = await open({ everyMs: 1000, method, now: () => time });
    const moments = [5000, 5999, 6000, 6999, 7001, 12_500, 12_999, 13_000];
    for (const moment of moments) {
      time = moment;
      await log.write(packetOf(String(moment)));
    }
    log.close();
    expect(contents()).toEqual(['5000\n5999\n', '6000\n6999\n', '7001\n', '12500\n12999\n', '13000\n']);
  });

  test('a time that passes before the first piece rotates nothing', async () => {
    let time = 0;
    const { log, contents } = await open({ everyMs: 1000, method, now: () => time });
    time = 1500;
    await log.write(packetOf('a'));
    time = 1999;
    await log.write(packetOf('b'));
    log.close();
    expect(contents()).toEqual(['a\nb\n']);
  });

  test('SIGHUP reopens the file between rotations', async () => {
    const { log, path, contents } = await open({ maxBytes: 4, method });
    await log.write(packetOf('a'));
    renameSync(path, `${path}.9`);
    log.reopen();
    await log.write(packetOf('b', 'c', 'd'));
    log.close();
    expect(contents()).toEqual(['a\n', 'b\nc\n', 'd\n']);
  });

  test('a file that another program has renamed, or removed, is made anew and not rotated', async () => {
    const { log, path, contents } = await open({ maxBytes: 2, method });
    await log.write(packetOf('a'));
    renameSync(path, `${path}.9`);
    await log.write(packetOf('b'));
    renameSync(path, `${path}.8`);
    writeFileSync(path, '');
    await log.write(packetOf('c'));
    log.close();
    expect(contents()).toEqual(['a\n', 'b\n', 'c\n']);
  });

  test('another program that appends is taken into account', async () => {
    const { log, path, contents } = await open({ maxBytes: 6, method });
    await log.write(packetOf('a'));
    appendFileSync(path, '12\n');
    await log.write(packetOf('b'));
    log.close();
    expect(contents()).toEqual(['a\n12\n', 'b\n']);
  });

  test.each([
    [
      'a folder',
      (name: string) => {
        mkdirSync(name);
      },
      'error.log.2: is a folder; move it away, because rotation needs the name',
    ],
    [
      'a link',
      (name: string) => {
        symlinkSync('error.log', name);
      },
      'error.log.2: is not a regular file; move it away, because rotation needs the name',
    ],
    [
      'the input',
      (name: string) => {
        renameSync(name.replace('error.log.2', 'input'), name);
      },
      'error.log.2: is the input file; move it away, because rotation needs the name',
    ],
  ])('a name that is taken by %s ends the run before anything is renamed', async (_what, take, message) => {
    const { log, folder, contents } = await open({ maxBytes: 2, method }, { input: '' });
    for (const line of ['a', 'b']) await log.write(packetOf(line));
    take(join(folder, 'error.log.2'));
    const error: unknown = await log.write(packetOf('c')).catch((thrown: unknown) => thrown);
    log.close(new Error('failed'));
    expect(messageOf(error, folder)).toBe(message);
    expect(log.written).toBe(2);
    rmSync(join(folder, 'error.log.2'), { recursive: true });
    expect(contents()).toEqual(['a\n', 'b\n']);
  });

  test('a folder that may not be written ends the run, and the file is as it was', async () => {
    const { log, folder, path, contents } = await open({ maxBytes: 2, method });
    await log.write(packetOf('a'));
    chmodSync(folder, 0o555);
    const error: unknown = await asOrdinaryUser(() => log.write(packetOf('b')).catch((thrown: unknown) => thrown));
    log.close(new Error('failed'));
    chmodSync(folder, 0o755);
    expect(messageOf(error, folder)).toBe(
      'error.log: cannot be rotated: its folder may not be written; check who owns the folder and its mode',
    );
    expect(contents()).toEqual(['a\n']);
    expect(statSync(path).size).toBe(2);
  });
});

describe('what cannot be rotated is refused when it is opened', () => {
  test.each([
    ['a folder with the first name', 'error.log.1: is a folder; move it away, because rotation needs the name'],
    ['a symbolic link', 'error.log: a symbolic link cannot be rotated; name the file that it leads to'],
    ['a FIFO or device', '/dev/null: only a regular file can be rotated; name one, or leave the rotation out'],
    ['a missing folder', 'missing/error.log: its folder does not exist; make the folder, or check the path'],
  ])('%s', async (what, message) => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'error.log.1'));
    symlinkSync('target', join(folder, 'link'));
    const path =
      what === 'a FIFO or device' ? '/dev/null' : join(folder, what === 'a missing folder' ? 'missing/error.log' : 'error.log');
    if (what === 'a symbolic link') {
      rmSync(join(folder, 'error.log.1'), { recursive: true });
      renameSync(join(folder, 'link'), path);
    }
    const options = { usedFiles: [], noun: 'group', signal: NEVER, warn: () => undefined, rotation: ROTATION };
    const error: unknown = await openDestination(path, options).catch((thrown: unknown) => thrown);
    expect(messageOf(error, folder)).toBe(message);
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
    expect(stderr).toBe(
      `webmail-diaglog: ${folder}/error.log: cannot be rotated: its folder may not be written; check who owns the folder and its mode\n`,
    );
  });
});
