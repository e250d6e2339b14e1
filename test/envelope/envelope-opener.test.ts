import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EnvelopeOpener, type OpenerOptions } from '../../src/envelope/envelope-opener.js';
import { LogLineCutter } from '../../src/input/log-lines.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';

const GROUP = formatGroup({ millisecond: Date.UTC(2025, 4, 18, 10), method: 'GET', target: '/mail/?a=b&c' }, createDeployment());
const RECORDS = GROUP.trimEnd().split('\n');
const TIME = '2025-05-18T10:00:00.5Z';

const docker = (log: string, stream = 'stderr'): string => `${JSON.stringify({ log, stream, time: TIME })}\n`;
const cri = (record: string, tag = 'F', stream = 'stderr'): string => `${TIME} ${stream} ${tag} ${record}\n`;

/** What an opener gives of a log that is cut into chunks, and the opener. */
function read(log: string, options: OpenerOptions = {}, cuts: readonly number[] = []): { text: string; opener: EnvelopeOpener } {
  const opener = new EnvelopeOpener({ zone: 'Europe/Warsaw', now: () => Date.UTC(2025, 5, 1), ...options });
  const cutter = new LogLineCutter({ opener });
  const bytes = Buffer.from(log, 'latin1');
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((cut, other) => cut - other), bytes.length];
  let text = '';
  let from = 0;
  for (const end of ends) {
    for (const block of cutter.cut(bytes.subarray(from, end))) text += block.bytes.toString('latin1');
    from = end;
  }
  for (const block of cutter.end()) text += block.bytes.toString('latin1');
  return { text, opener };
}

describe('EnvelopeOpener', () => {
  test.each([
    ['docker', RECORDS.map((record) => docker(`${record}\n`)).join('')],
    ['cri', RECORDS.map((record) => cri(record)).join('')],
    ['syslog', RECORDS.map((record) => `May 18 12:00:00 webmail roundcube[7]: ${record}\n`).join('')],
    ['rfc3164', RECORDS.map((record) => `<11>May 18 12:00:00 webmail roundcube: ${record}\n`).join('')],
    ['rfc5424', RECORDS.map((record) => `<11>1 ${TIME} webmail roundcube - - - ${record}\n`).join('')],
    ['timestamps', RECORDS.map((record) => `${TIME} ${record}\n`).join('')],
    [undefined, GROUP],
  ])('%s: gives the log, however it is cut, behind foreign lines too', (form, log) => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 8 }), fc.integer({ min: 0, max: 63 }), (cuts, foreign) => {
        const { text, opener } = read('x\n'.repeat(foreign) + log, {}, cuts);
        expect(text).toBe('x\n'.repeat(foreign) + GROUP);
        expect(opener.form?.split(' ')[0]).toBe(form);
        expect(opener.lineOf(foreign + 1)).toBe(foreign + 1);
        expect(opener.hasOwnStamp(foreign + 1)).toBe(true);
      }),
      { numRuns: 30 },
    );
    expect(read('x\n'.repeat(64) + log).text).toBe('x\n'.repeat(64) + log);
    expect(read(log, { envelope: 'none' }).text).toBe(log);
  });

  test.each([
    ['stdout', (bare: string) => cri(`errors: ${bare}`, 'F', 'stdout'), '+0000', '10:00:00'],
    ['syslog', (bare: string) => `May 18 12:00:00 webmail roundcube: ${bare}\n`, '+0200', '12:00:00'],
    ['syslog', (bare: string) => `<11>1 2025-05-18T13:00:00+03:00 w r - - - ${bare}\n`, '+0300', '13:00:00'],
    ['syslog', (bare: string) => `2025-05-18T05:30:00-0430 w roundcube[7]: ${bare}\n`, '-0430', '05:30:00'],
  ])(
    'driver %s: a record without a stamp has that of its envelope, a deprecation record in UTC',
    (driver, wrap, offset, clock) => {
      const failures = driver === 'stdout' ? RECORDS.slice(0, -1) : RECORDS;
      const expected = failures.map((record) =>
        record.replace('12:00:00 +0200', `${clock} ${offset}`).replace('12:00:00 Europe/Warsaw', '10:00:00 UTC'),
      );
      const wrapped = failures.map((record) => wrap(record.replace(/^\[.*?\]:? /, ''))).join('');
      const { text, opener } = read(wrapped);
      expect(text).toBe(`${expected.join('\n')}\n`);
      expect(opener.driver).toBe(driver);
      expect(opener.hasOwnStamp(1)).toBe(false);
      const envelope = driver === 'stdout' ? 'cri' : undefined;
      expect(read(wrapped, { givesStamps: false, envelope }).opener.driver).toBe('file');
    },
  );

  test('stamps are given to records of the webmail and of PHP, not to lines of a trace', () => {
    const lines = [
      'PHP Error: Failed to load plugin file /a.php in /b.php on line 1 (GET /)',
      '<srqtnp0a> IMAP Error: Login failed for jan',
      'PHP Warning:  x in /a.php on line 1',
      'Stack trace:',
      '#0 {main}',
      '',
    ];
    expect(read(lines.map((line) => `May 18 12:00:00 w r: ${line}\n`).join('')).text.split('\n')).toEqual([
      `[18-May-2025 12:00:00 +0200]: ${lines[0] ?? ''}`,
      `[18-May-2025 12:00:00 +0200]: ${lines[1] ?? ''}`,
      `[18-May-2025 10:00:00 UTC] ${lines[2] ?? ''}`,
      'Stack trace:',
      '#0 {main}',
      '',
      '',
    ]);
  });

  test.each([
    ['Jun  2 12:00:00', Date.UTC(2025, 5, 1, 10, 0, 0), '02-Jun-2025'],
    ['Jun  2 12:00:01', Date.UTC(2025, 5, 1, 10, 0, 0), '02-Jun-2024'],
    ['Dec 31 23:59:59', Date.UTC(2025, 0, 1), '31-Dec-2024'],
    ['Jan  1 00:00:00', Date.UTC(2024, 11, 31, 23), '01-Jan-2025'],
    ['Feb 29 12:00:00', Date.UTC(2023, 0, 1), '29-Feb-2020'],
  ])('%s has the latest year that is not more than a day ahead', (stamp, now, date) => {
    const line = `${stamp} w r: ${(RECORDS[0] ?? '').replace(/^\[.*?\]: /, '')}\n`;
    expect(read(line, { now: () => now }).text).toContain(`[${date} `);
  });

  test('pieces are joined by stream, and a record has the line of its first piece', () => {
    const [first = '', second = '', third = ''] = RECORDS;
    const at = (text: string, from: number, to?: number): string => text.slice(from, to);
    const log =
      cri(at(first, 0, 200), 'P') +
      cri(second, 'F', 'stdout') +
      cri(at(first, 200, 202), 'P') +
      cri(at(first, 202), 'F') +
      cri(third, 'F', 'stdout');
    for (const cuts of [[], [10, 300, 500]]) {
      const { text, opener } = read(log, {}, cuts);
      expect(text).toBe(`${second}\n${first}\n${third}\n`);
      expect([1, 2, 3].map((line) => opener.lineOf(line))).toEqual([2, 1, 5]);
    }
    const dockerLog = docker(at(first, 0, 150)) + docker(`${at(first, 150)}\n`) + docker(`${second}\n`);
    expect(read(dockerLog).text).toBe(`${first}\n${second}\n`);
  });

  test.each([1, 30, 500])('pieces of %i bytes are recognised, also in a file that grows', (bytes) => {
    const pieces = [docker, cri].map((write) =>
      RECORDS.flatMap((record) => {
        const texts = `${record}\n`.match(new RegExp(`[^]{1,${String(bytes)}}`, 'g')) ?? [];
        if (write === docker) return texts.map((text) => docker(text));
        return texts.map((text, index) => cri(text.replace('\n', ''), index === texts.length - 1 ? 'F' : 'P'));
      }).join(''),
    );
    for (const log of pieces) {
      expect(read(log).text).toBe(GROUP);
      expect(read(log, { isGrowing: true }).text).toBe(GROUP);
    }
  });

  test('CR LF: the CR stays with its record, and goes between pieces', () => {
    const [first = '', second = ''] = RECORDS;
    const crlf = (line: string): string => line.replace('\n', '\r\n');
    const logs = [
      crlf(docker(first.slice(0, 90))) + crlf(docker(`${first.slice(90)}\n`)) + docker(`${second}\r\n`),
      crlf(cri(first.slice(0, 90), 'P')) + crlf(cri(first.slice(90))) + cri(`${second}\r`),
      ...['w r: ', 'roundcube[7]: '].map((head) =>
        [first, second].map((record) => `May 18 12:00:00 ${head}${record}\r\n`).join(''),
      ),
      crlf(`${TIME} ${first}\n`) + crlf(`${TIME} ${second}\n`),
    ];
    for (const log of logs) expect(read(log).text).toBe(`${first}\r\n${second}\r\n`);
  });

  test('RFC 3164: a stamp of the repeated hour that steps back is its second occurrence', () => {
    const stamps = ['01:59:59', '02:30:00', '02:59:59', '02:59:58', '02:00:00', '02:30:00', '02:59:59', '03:00:00', '02:59:59'];
    const log = stamps.map((time) => `Oct 27 ${time} w r: PHP Error: x\n`).join('');
    const offsets = Array.from(
      read(log, { envelope: 'syslog', now: () => Date.UTC(2024, 11, 1) }).text.matchAll(/\d\d ([+-]\d{4})\]/g),
      ([, offset]) => offset,
    );
    expect(offsets).toEqual(['+0200', '+0200', '+0200', '+0200', '+0100', '+0100', '+0100', '+0100', '+0100']);
  });

  test('a piece whose end never comes is a line without an LF; a longer record than any is not joined', () => {
    const [first = ''] = RECORDS;
    expect(read(cri(first) + cri(first, 'P')).text).toBe(`${first}\n${first}`);
    const long = read(cri(first) + cri('x'.repeat(1 << 19), 'P').repeat(4) + cri(first));
    expect(long.text.split('\n').map(({ length }) => length)).toEqual([first.length, 3 << 19, (1 << 19) + first.length, 0]);
  });

  test('lines without the envelope are as they are', () => {
    const [first = '', second = ''] = RECORDS;
    const log = `${docker(`${first}\n`)}garbage\n${docker('x').slice(0, 20)}\n${second}\n${docker(`${second}\n`).replace('T10', 'T25')}${docker(`${second}\n`)}`;
    expect(read(log).text).toBe(`${first}\n${log.split('\n').slice(1, -2).join('\n')}\n${second}\n`);
  });

  test('an envelope that is insisted on: exit 1 if the first record is in none, or in another', () => {
    const message =
      'x.log:2: the first record is not in the envelope docker; name the envelope that it is in, or leave out options.envelope';
    for (const log of [GROUP, cri(RECORDS[0] ?? '')])
      expect(() => read(`x\n${log}`, { envelope: 'docker', source: 'x.log' })).toThrow(message);
    expect(read(`x\n${docker(`${RECORDS[0] ?? ''}\n`)}${GROUP}`, { envelope: 'docker' }).text).toBe(
      `x\n${RECORDS[0] ?? ''}\n${GROUP}`,
    );
  });

  test('bytes that are not UTF-8 are unchanged but in JSON, where Docker has replaced them', () => {
    const record = (RECORDS[0] ?? '').replace('a=b', 'a=\xff\x00');
    expect(read(cri(RECORDS[0] ?? '') + cri(record)).text).toContain(`${record}\n`);
  });
});
