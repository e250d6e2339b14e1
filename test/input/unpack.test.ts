import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { DataError } from '../../src/errors.js';
import { unpack } from '../../src/input/unpack.js';
import { chunksOf, collectText } from '../support/bytes.js';
import { callEach } from '../support/call.js';
import { makeFolder, refused, runShell } from '../support/run.js';

const ZSTD = '\x28\xb5\x2f\xfd\x24';
const ZSTD_REFUSED = 'it is zstd-compressed; unpack it: zstd -dc FILE | webmail-diaglog …';

const TAR = `app.log${'\0'.repeat(250)}ustar\x0000${'\0'.repeat(247)}`;

const packed = (bytes: string): string => gzipSync(Buffer.from(bytes, 'latin1')).toString('latin1');

const read = (bytes: string, cuts: readonly number[]): Promise<string> =>
  collectText(unpack(chunksOf(bytes, cuts), 'x', { bytesRead: 0, bytesGiven: 0 }));

describe.each([[[]], [[1]], [[1, 2, 5]]])('bytes cut at %j', (cuts: readonly number[]) => {
  test.each([
    ['zstd', ZSTD, 'it is zstd-compressed; unpack it: zstd -dc FILE'],
    ['xz', '\xfd7zXZ\x00\x00', 'it is xz-compressed; unpack it: xz -dc FILE'],
    ['bzip2', 'BZh91AY&SY\x00', 'it is bzip2-compressed; unpack it: bzip2 -dc FILE'],
    ['lz4', '\x04\x22\x4d\x18d', 'it is lz4-compressed; unpack it: lz4 -dc FILE'],
    ['a ZIP archive', 'PK\x03\x04\x14', 'it is a ZIP archive; unpack it: unzip -p FILE'],
    ['a tar archive', TAR, 'it is a tar archive; take the file out: tar xOf FILE'],
    ['one of GNU tar', TAR.replace('ustar\x0000', 'ustar  \0'), 'it is a tar archive; take the file out: tar xOf FILE'],
    ['a packed archive', packed(TAR), 'it is a tar archive; take the file out: tar xzOf FILE'],
    ['UTF-16, little-endian', '\xff\xfe[\0', 'it is UTF-16 text; convert it: iconv -f utf-16 -t utf-8 FILE'],
    ['UTF-16, big-endian', '\xfe\xff\0[', 'it is UTF-16 text; convert it: iconv -f utf-16 -t utf-8 FILE'],
    ['packed UTF-16', packed('\xff\xfe[\0'), 'it is UTF-16 text; convert it: gzip -dc FILE | iconv -f utf-16 -t utf-8'],
  ])('%s is refused', async (_name, bytes, message) => {
    const reading = read(bytes, cuts);
    await expect(reading).rejects.toThrow(DataError);
    await expect(reading).rejects.toThrow(`x: ${message} | webmail-diaglog …`);
  });

  test.each(['', '/a,1\x1f\x8b\n', 'BZhang,/mail/\n', ' \x1f\x8b'])('%j is passed on', async (bytes) => {
    expect(await read(bytes, cuts)).toBe(bytes);
  });
});

test('bytes of which the first alone is that of gzip are passed on', async () => {
  expect(await read('\x1fx', [])).toBe('\x1fx');
});

describe.each(['parse', 'parse --as ecs', 'stats', 'check', 'replay', 'synth --targets'])('%s', (command) => {
  const args = command.split(' ');

  test('refuses a compressed file and a folder before there is an output', async () => {
    const cwd = makeFolder({ 'x.zst': ZSTD });
    const calls = ['x.zst', '.'].map((file) => [...args, file, '-o', 'out']);
    expect(await callEach(calls, { cwd })).toEqual([
      refused(`x.zst: ${ZSTD_REFUSED}`, 1),
      refused('.: is a folder; name a file'),
    ]);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});

test('compressed bytes from a pipe: nothing is written, no header either', async () => {
  expect(await runShell("printf '\\x28\\xb5\\x2f\\xfd' | webmail-diaglog parse")).toEqual(
    refused(`<stdin>: ${ZSTD_REFUSED} (0 rows written)`, 1),
  );
});
