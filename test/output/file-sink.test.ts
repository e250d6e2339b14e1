import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup, type LogRequest } from '../../src/log/group.js';
import { Packet } from '../../src/output/packet.js';
import { Destination } from '../../src/output/destination.js';
import { FileSink } from '../../src/output/named-file.js';
import { makeFolder } from '../support/run.js';

const SPECIFIED = createDeployment();

function packetOf(...lines: number[]): Packet {
  const packet = new Packet();
  for (const line of lines) {
    const request: LogRequest = { millisecond: line * 1000, method: 'GET', target: '/mail/', line };
    packet.add({ bytes: Buffer.from(formatGroup(request, SPECIFIED), 'latin1'), count: 1, origin: request });
  }
  return packet;
}

describe('a file', () => {
  test('appends packets, and counts the groups that stand', async () => {
    const path = join(makeFolder(), 'error.log');
    appendFileSync(path, 'before\n');
    const fd = openSync(path, 'a');
    const output = new Destination(new FileSink(fd, path), 'group');
    expect(output).toMatchObject({ noun: 'group', written: 0, last: undefined });
    const [first, second] = [packetOf(1, 2), packetOf(5)];
    await output.write(first);
    await output.write(second);
    closeSync(fd);
    expect(output).toMatchObject({ written: 3, last: { line: 5 } });
    expect(readFileSync(path, 'latin1')).toBe(`before\n${first.bytes.toString('latin1')}${second.bytes.toString('latin1')}`);
  });

  test('takes packets of 1 MiB for a regular file, and of what a pipe holds for anything else', () => {
    const file = openSync(join(makeFolder(), 'log'), 'a');
    const device = openSync('/dev/null', 'a');
    expect([file, device].map((fd) => new FileSink(fd, 'log').packetBytes)).toEqual([1 << 20, 65_536]);
    closeSync(file);
    closeSync(device);
  });

  test('says what refuses a write, and how many groups stand', async () => {
    const fd = openSync('/dev/full', 'a');
    const output = new Destination(new FileSink(fd, '/dev/full'), 'group');
    await expect(output.write(packetOf(1))).rejects.toThrow('/dev/full: no space left on the device; free some space');
    closeSync(fd);
    expect(output.written).toBe(0);
  });
});
