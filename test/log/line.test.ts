import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatGroup } from '../../src/log/group.js';
import { parseRecord } from '../../src/log/line.js';
import { deployment, request } from '../support/arbitraries.js';

describe('parseRecord', () => {
  test('reads the second of every load failure that formatGroup writes, and of no deprecation record', () => {
    fc.assert(
      fc.property(request, deployment, (one, site) => {
        const records = formatGroup(one, site).split('\n').slice(0, -1);
        const seconds = records.map(parseRecord);
        expect(seconds.pop()).toBeUndefined();
        expect(new Set(seconds)).toEqual(new Set([Math.floor(one.millisecond / 1000)]));
      }),
    );
  });

  test.each([
    '',
    '[18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /a in /b on line 193 (GET /mail/',
    '[18-Mai-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /a in /b on line 193 (GET /mail/)',
    '[21-Nov-2026 08:39:19 +0100]: <8098d78c> IMAP Error: Login failed for jan in /x.php on line 211 (POST /mail/)',
    ' [18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /a in /b on line 193 (GET /mail/)',
  ])('%j is none', (line) => {
    expect(parseRecord(line)).toBeUndefined();
  });
});
