import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup, type Batches, type LogRequest } from '../../src/log/group.js';
import { pack } from '../../src/output/pack.js';
import { renderGroups } from '../../src/output/log-pieces.js';
import { groupPieces } from '../support/packets.js';
import { deployment, request } from '../support/arbitraries.js';
import { collect } from '../support/bytes.js';

const SPECIFIED = createDeployment();

function requestFor(target: string): LogRequest {
  return { millisecond: 1747562400000, method: 'GET', target };
}

/** The packets' bytes, copied as they come. */
async function packed(batches: Batches<LogRequest>, hasMore: () => boolean): Promise<string[]> {
  const packets: string[] = [];
  for await (const packet of pack(groupPieces(batches, SPECIFIED), hasMore)) packets.push(packet.bytes.toString('latin1'));
  return packets;
}

describe('renderGroups', () => {
  test('any batches give the bytes of formatGroup, in packets of whole groups of at most 65,536 bytes', async () => {
    const batches = fc.array(fc.array(request, { maxLength: 90 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(batches, deployment, async (some, site) => {
        const whole = some.flat().map((rendered) => formatGroup(rendered, site));
        const ends = new Set([0]);
        for (const [index, group] of whole.entries()) ends.add(group.length + whole.slice(0, index).join('').length);
        let length = 0;
        const packets = await collect(renderGroups(some, site));
        for (const packet of packets) {
          expect(packet.length).toBeLessThanOrEqual(65_536);
          length += packet.length;
          expect(ends.has(length)).toBe(true);
        }
        expect(Buffer.concat(packets).toString('latin1')).toBe(whole.join(''));
      }),
      { numRuns: 15 },
    );
  });

  test('a group larger than a packet is one of its own', async () => {
    const large = requestFor(`/${'x'.repeat(20_000)}`);
    const small = requestFor('/mail/');
    const packets = await packed([[small, large, small]], () => true);
    expect(packets).toEqual([formatGroup(small, SPECIFIED), formatGroup(large, SPECIFIED), formatGroup(small, SPECIFIED)]);
  });

  test('fills packets of the size that is asked for', async () => {
    const mail = requestFor('/mail/');
    const group = formatGroup(mail, SPECIFIED);
    const pieces = groupPieces([[mail, mail, mail, mail, mail]], SPECIFIED);
    const packets: string[] = [];
    for await (const packet of pack(pieces, () => true, undefined, 2 * group.length))
      packets.push(packet.bytes.toString('latin1'));
    expect(packets).toEqual([group.repeat(2), group.repeat(2), group]);
  });

  test('fills packets across batches while more is waiting, and lets go of what there is when nothing is', async () => {
    const mail = requestFor('/mail/');
    const group = formatGroup(mail, SPECIFIED);
    expect(await packed([[mail], [mail, mail]], () => true)).toEqual([group.repeat(3)]);
    expect(await packed([[mail], [], [mail, mail]], () => false)).toEqual([group, group.repeat(2)]);
  });

  test('gives what came before an error of the source, and then the error', async () => {
    const mail = requestFor('/mail/');
    async function* failing(): AsyncGenerator<readonly LogRequest[]> {
      await Promise.resolve();
      yield [mail];
      throw new Error('the source failed');
    }
    const packets: string[] = [];
    const reading = (async () => {
      for await (const packet of pack(groupPieces(failing(), SPECIFIED), () => true))
        packets.push(packet.bytes.toString('latin1'));
    })();
    await expect(reading).rejects.toThrow('the source failed');
    expect(packets).toEqual([formatGroup(mail, SPECIFIED)]);
  });
});
