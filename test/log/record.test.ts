import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatDeprecation, formatDescriptor, formatLoadFailure } from '../../src/log/record.js';

const STAMP = { timestamp: '18-May-2025 12:00:00', utcOffset: '+0200' };

describe('formatLoadFailure', () => {
  test('2.1 gives the shape of the specification', () => {
    expect(formatLoadFailure(STAMP, 'carddav', 'GET /mail/', createDeployment())).toBe(
      '[18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /var/www/roundcube/plugins/carddav/carddav.php' +
        ' in /var/www/roundcube/program/lib/Roundcube/rcube_plugin_api.php on line 193 (GET /mail/)',
    );
  });
});

describe('formatDeprecation', () => {
  const tail =
    'session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface' +
    ' is deprecated in /var/www/roundcube/program/lib/Roundcube/rcube_session.php on line 119';

  test('2.2 names the zone, has no colon after the bracket and no descriptor', () => {
    expect(formatDeprecation(STAMP, createDeployment())).toBe(`[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated: ${tail}`);
  });

  test('the php dialect has two spaces after "Deprecated:", as PHP writes them', () => {
    expect(formatDeprecation(STAMP, createDeployment({ dialect: 'php' }))).toBe(
      `[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated:  ${tail}`,
    );
  });
});

describe('formatDescriptor', () => {
  test('2.4 is method and target', () => {
    expect(formatDescriptor('GET', '/poczta/?x=)')).toBe('GET /poczta/?x=)');
  });

  test.each([
    ['GET', ''],
    ['', '/mail/'],
    ['GET', '/mail/\n'],
    ['GET', '/mail/\r'],
    ['GET', '/a b'],
    ['GET', '/\x7f'],
    ['GET', '/\x1b[31m'],
    ['GET', '/ż'],
    ['GE T', '/mail/'],
  ])('refuses %j %j, which could forge a record', (method, target) => {
    const message = 'a method or a target holds other than bytes 0x21 to 0xFF less 0x7F; percent-encode it, or encodeText it';
    expect(() => formatDescriptor(method, target)).toThrow(new RangeError(message));
  });
});
