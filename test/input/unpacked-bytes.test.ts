import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { DataError } from '../../src/errors.js';
import { UnpackedBytes } from '../../src/input/unpacked-bytes.js';
import { chunksOf, collect } from '../support/bytes.js';
import { runEach } from '../support/run-each.js';
import { makeFolder, runShell } from '../support/run.js';

const ZSTD = '\x28\xb5\x2f\xfd\x24';
const ZSTD_REFUSED = 'it is zstd-compressed; unpack it: zstd -dc FILE | webmail-diaglog …';

const CUTS = [[], [1], [1, 2, 5]];

describe('UnpackedBytes', () => {
  test.each([
    ['zstd', ZSTD, 'zstd -dc FILE'],
    ['xz', '\xfd7zXZ\x00\x00', 'xz -dc FILE'],
    ['bzip2', 'BZh91AY&SY\x00', 'bzip2 -dc FILE'],
    ['lz4', '\x04\x22\x4d\x18d', 'lz4 -dc FILE'],
  ])('refuses %s, however it is cut', async (name, bytes, remedy) => {
    for (const cuts of CUTS) {
      const reading = collect(new UnpackedBytes(chunksOf(bytes, cuts), 'x'));
      await expect(reading).rejects.toThrow(DataError);
      await expect(reading).rejects.toThrow(`x: it is ${name}-compressed; unpack it: ${remedy} |`);
    }
  });

  const TAR = `app.log${'\0'.repeat(250)}ustar\x0000${'\0'.repeat(247)}`;

  test.each([
    ['a ZIP archive', 'PK\x03\x04\x14', 'it is a ZIP archive; unpack it: unzip -p FILE | webmail-diaglog …'],
    ['a tar archive', TAR, 'it is a tar archive; take the file out: tar xOf FILE | webmail-diaglog …'],
    ['one of GNU tar', TAR.replace('ustar\x0000', 'ustar  \0'), 'it is a tar archive; take the file out: tar xOf FILE |'],
    ['a packed archive', gzipSync(TAR).toString('latin1'), 'it is a tar archive; take the file out: tar xzOf FILE |'],
    ['UTF-16, little-endian', '\xff\xfe[\0', 'it is UTF-16 text; convert it: iconv -f utf-16 -t utf-8 FILE |'],
    ['UTF-16, big-endian', '\xfe\xff\0[', 'it is UTF-16 text; convert it: iconv -f utf-16 -t utf-8 FILE |'],
    [
      'packed UTF-16',
      gzipSync(Buffer.from('\xff\xfe[\0', 'latin1')).toString('latin1'),
      'it is UTF-16 text; convert it: gzip -dc FILE | iconv -f utf-16 -t utf-8 |',
    ],
  ])('refuses %s, however it is cut', async (_name, bytes, message) => {
    for (const cuts of CUTS)
      await expect(collect(new UnpackedBytes(chunksOf(bytes, cuts), 'x'))).rejects.toThrow(`x: ${message}`);
  });

  test.each(['', '/a,1\x1f\x8b\n', 'BZhang,/mail/\n', ' \x1f\x8b'])('passes on %j', async (bytes) => {
    for (const cuts of CUTS) {
      const passed = await collect(new UnpackedBytes(chunksOf(bytes, cuts), 'x'));
      expect(Buffer.concat(passed).toString('latin1')).toBe(bytes);
    }
  });

  test('passes on bytes of which the first alone is that of gzip', async () => {
    expect(String(Buffer.concat(await collect(new UnpackedBytes(chunksOf('\x1fx'), 'x'))))).toBe('\x1fx');
  });
});

describe.each(['parse', 'parse --as ecs', 'stats', 'check', 'replay', 'synth --targets'])('%s', (command) => {
  const args = command.split(' ');

  test('refuses a compressed file and a folder before there is an output', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'x.zst'), ZSTD, 'latin1');
    const calls = [
      [...args, 'x.zst', '-o', 'out'],
      [...args, '.', '-o', 'out'],
    ];
    expect(await runEach(calls, { cwd })).toEqual([
      { exit: 1, stdout: '', stderr: `webmail-diaglog: x.zst: ${ZSTD_REFUSED}\n` },
      { exit: 2, stdout: '', stderr: 'webmail-diaglog: .: is a folder; name a file\n' },
    ]);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});

test('compressed bytes from a pipe: nothing is written, no header either', async () => {
  expect(await runShell("printf '\\x28\\xb5\\x2f\\xfd' | webmail-diaglog parse")).toEqual({
    exit: 1,
    stdout: '',
    stderr: `webmail-diaglog: <stdin>: ${ZSTD_REFUSED} (0 rows written)\n`,
  });
});
