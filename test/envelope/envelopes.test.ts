import { describe, expect, test } from '@jest/globals';
import { FORMS } from '../../src/envelope/envelopes.js';
import type { Opened } from '../../src/envelope/docker.js';

const RECORD = '[18-May-2025 12:00:00 +0200]: PHP Error: x (GET /?a=b&c=<d>)';

/** What the first envelope that takes a line finds in it. */
const open = (line: string): Opened | undefined => {
  for (const form of FORMS) {
    const opened = form.open(line);
    if (opened !== undefined) return opened;
  }
  return undefined;
};

const whole = (form: string, time: string, stream = '', inside = RECORD) => ({ form, time, stream, inside, hasMore: false });

describe('lines of envelopes', () => {
  const time = '2025-05-18T10:00:00.123456789Z';
  test.each([
    ['docker', JSON.stringify({ log: `${RECORD}\n`, stream: 'stderr', time }), whole('docker', time, 'stderr')],
    [
      'docker, escaped as Docker does',
      `{"log":"a\\u0026b\\u003c\\"\\\\u0026\\t\\u00e9\\ud83d\\ude00\\\\\\n","stream":"stdout","time":"${time}"}`,
      whole('docker', time, 'stdout', 'a&b<"\\u0026\t\xc3\xa9\xf0\x9f\x98\x80\\'),
    ],
    [
      'docker, with labels',
      `{"log":"x\\n","stream":"stdout","attrs":{"tag":"a","log":"}"},"time":"${time}"}`,
      whole('docker', time, 'stdout', 'x'),
    ],
    [
      'docker, a piece',
      `{"log":"x","stream":"stdout","time":"${time}"}`,
      { ...whole('docker', time, 'stdout', 'x'), hasMore: true },
    ],
    [
      'docker, a piece that ends in a backslash and an n',
      `{"log":"x\\\\n","stream":"stdout","time":"${time}"}`,
      { ...whole('docker', time, 'stdout', 'x\\n'), hasMore: true },
    ],
    ['docker, an LF alone', `{"log":"\\n","stream":"stdout","time":"${time}"}`, whole('docker', time, 'stdout', '')],
    ['docker, an LF in the middle', `{"log":"x\\ny\\n","stream":"stdout","time":"${time}"}`, undefined],
    ['docker, torn', `{"log":"x\\n","stream":"stdout","tim`, undefined],
    ['cri', `${time} stderr F ${RECORD}`, whole('cri', time, 'stderr')],
    ['cri, a piece', `${time} stdout P x`, { ...whole('cri', time, 'stdout', 'x'), hasMore: true }],
    ['cri, with an offset', `2025-05-18T12:00:00+02:00 stdout F x`, whole('cri', '2025-05-18T12:00:00+02:00', 'stdout', 'x')],
    ['cri, an unknown tag: only the timestamp is known', `${time} stdout Q x`, whole('timestamps', time, '', 'stdout Q x')],
    ['syslog', `May  8 12:00:00 webmail roundcube: ${RECORD}`, whole('syslog', 'May  8 12:00:00')],
    ['syslog, with a process', `May 18 12:00:00 webmail roundcube[17]: ${RECORD}`, whole('syslog', 'May 18 12:00:00')],
    ['syslog, without a host', `May 18 12:00:00 roundcube: ${RECORD}`, whole('syslog', 'May 18 12:00:00')],
    [
      'syslog, an address for a host',
      `May 18 12:00:00 2001:db8::1 roundcube: a: b`,
      whole('syslog', 'May 18 12:00:00', '', 'a: b'),
    ],
    [
      'syslog as journalctl -o short-iso shows it',
      `2025-05-18T12:00:00+0200 webmail roundcube[7]: ${RECORD}`,
      whole('syslog with RFC 3339', '2025-05-18T12:00:00+0200'),
    ],
    ['syslog with RFC 3339', `${time} webmail roundcube: ${RECORD}`, whole('syslog with RFC 3339', time)],
    ['rfc3164', `<11>May 18 12:00:00 webmail roundcube: ${RECORD}`, whole('rfc3164', 'May 18 12:00:00')],
    ['rfc5424', `<11>1 ${time} webmail roundcube - - - ${RECORD}`, whole('rfc5424', time)],
    [
      'rfc5424, structured data and a byte order mark',
      `<11>1 ${time} w r 17 m [a@1 b="\\]"][c d="e"] \xef\xbb\xbf${RECORD}`,
      whole('rfc5424', time),
    ],
    ['a timestamp alone', `${time} ${RECORD}`, whole('timestamps', time)],
    ['a record', RECORD, undefined],
    ['another line', 'something else: x', undefined],
  ])('%s', (_what, line, opened) => {
    expect(open(line)).toEqual(opened === undefined ? undefined : { ...opened, form: expect.stringContaining(opened.form) });
  });

  test('the prefix of the line before is not taken for that of another line', () => {
    expect(open(`${time} stdout F x`)?.inside).toBe('x');
    expect(open(`${time} stdout P y`)).toMatchObject({ inside: 'y', hasMore: true });
    expect(open(`${time.replace('10', '11')} stdout F z`)).toMatchObject({ time: time.replace('10', '11') });
  });

  test('takes time in proportion to a line, whatever it holds', () => {
    for (const unit of ['"', '\\', ',"attrs":{}', '<1>', '[', '[a b="', ': ', ' ', 'a ', '\\"'])
      for (const before of ['', '{"log":"', `<11>1 ${time} a b c d `, 'May 18 12:00:00 ', `${time} `])
        open(before + unit.repeat(1 << 16));
  });
});
