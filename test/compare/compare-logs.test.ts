import { describe, expect, test } from '@jest/globals';
import { requireOptions } from '../../src/arguments.js';
import { compareLogs } from '../../src/compare/compare-logs.js';
import { FIELD_NAMES } from '../../src/compare/fields.js';
import {
  describePassedOver,
  FINDING_KINDS,
  type ComparisonFinding,
  type ComparisonSummary,
  type FindingKind,
} from '../../src/compare/findings.js';
import { COMPARE_OPTIONS, type ComparedSource, type CompareOptions } from '../../src/compare/options.js';
import {
  formatJsonFinding,
  formatJsonSummary,
  formatTextFinding,
  formatTextSummary,
  shareOf,
} from '../../src/findings/delivery.js';
import { FindingCounts } from '../../src/findings/finding-counts.js';
import type { FollowedLatency } from '../../src/findings/latencies.js';
import { collect } from '../support/bytes.js';
import { briefly, compare, sourceOf } from '../support/compared.js';
import { DEPRECATION, FAILURE } from '../support/records.js';

const MAX_LINE_BYTES = 16 << 20;

describe('compareLogs', () => {
  test.each<[cuts: readonly number[], field?: string]>([[[9]], [[]], [[9], 'm']])(
    'a line longer than 16 MiB is foreign, and the lines behind it are compared: cut at %j',
    async (...[cuts, field]) => {
      const lineOf = (text: string): string => (field === undefined ? `${text}\n` : `{"m":"${text}"}\n`);
      const came = `${lineOf('a')}${'x'.repeat(MAX_LINE_BYTES + 1)}\n${lineOf('c')}${lineOf('b')}`;
      const compared = await compare('a\nb\n', [came, lineOf('d')], { cuts, field });
      expect(briefly(compared)).toEqual([
        'came-1.log:2 foreign: longer than 16 MiB',
        'came-1.log:3 foreign',
        'came-2.log:1 foreign',
      ]);
      expect(compared.findings.map(({ text }) => text)).toEqual(['x'.repeat(4096), 'c', 'd']);
    },
  );

  test('kind: expected lines of other kinds are passed over, received ones are foreign', async () => {
    const sent = `x\n${FAILURE}\n${DEPRECATION}\n${FAILURE}\n`;
    const compared = await compare(sent, `${FAILURE}\n${DEPRECATION}\n`, { kind: 'load_failure' });
    expect(briefly(compared)).toEqual(['sent.log:4 missing', 'came.log:2 foreign']);
    expect(compared.summary).toMatchObject({ recordsSent: 2, recordsDelivered: 1, expectedPassedOver: 2 });
  });

  const SOURCE = sourceOf('a.log', 'a\n');
  const AN_ARRAY = Object.assign([], SOURCE);
  const UNKNOWN = { isLossy: true };

  test.each<[expected: ComparedSource, received: readonly ComparedSource[], options: CompareOptions, message: string]>([
    [AN_ARRAY, [SOURCE], {}, 'expected is not a source; give '],
    [SOURCE, [SOURCE, AN_ARRAY], {}, 'received[1] is not a source; give '],
    [SOURCE, [SOURCE], { max: 3, ...UNKNOWN }, 'options.isLossy is not an option; the options are '],
  ])('refuses before anything is read: %s', async (expected, received, options, message) => {
    await expect(collect(compareLogs(expected, received, options))).rejects.toThrow(message);
  });
});

describe('the options of compareLogs', () => {
  const NO_PATH = "is not a path; give one such as 'event.original'";
  const NO_PATHS = "is not an object of paths; give one such as { request_target: 'url' }";

  test.each<[options: object, message: string]>([
    [{ kind: 'failure' }, 'options.kind is "failure"; give one of load_failure, deprecation'],
    [{ lossy: 'yes' }, 'options.lossy is not a boolean'],
    [{ allow: 'missing' }, "options.allow is not an array; give one such as ['duplicated']"],
    [{ max: -1 }, 'options.max is not a number from 0 on'],
    [{ onEnd: 1 }, 'options.onEnd is not a function'],
    [{ comparison: 'lines' }, `options.comparison is not an option; the options are ${Object.keys(COMPARE_OPTIONS).join(', ')}`],
    [{ field: '' }, `options.field ${NO_PATH}`],
    [{ field: 1 }, `options.field ${NO_PATH}`],
    [{ fields: {} }, `options.fields ${NO_PATHS}`],
    [{ fields: { kind: undefined } }, `options.fields ${NO_PATHS}`],
    [{ fields: [['kind', 'a']] }, `options.fields ${NO_PATHS}`],
    [{ fields: { target: 'a' } }, `a field in options.fields is "target"; give one of ${FIELD_NAMES.join(', ')}`],
    [{ fields: { kind: '' } }, `options.fields.kind ${NO_PATH}`],
  ])('%j: %s', (options, message) => {
    expect(() => {
      requireOptions(options, 'options', COMPARE_OPTIONS);
    }).toThrow(new TypeError(message));
  });
});

const SUMMARY: ComparisonSummary = {
  recordsSent: 16,
  recordsDelivered: 14,
  lossy: 0,
  expectedPassedOver: 0,
  receivedPassedOver: 0,
  counts: new FindingCounts<FindingKind>(FINDING_KINDS),
  findings: 0,
  opened: [],
};

/** Counts of some findings. */
function countsOf(kinds: readonly FindingKind[], allowed: readonly FindingKind[], max = Infinity): FindingCounts<FindingKind> {
  const counts = new FindingCounts<FindingKind>(FINDING_KINDS, new Set(allowed), max);
  for (const kind of kinds) {
    counts.add(kind);
    counts.show(kind);
  }
  return counts;
}

const LATENCY: FollowedLatency = { p50: 1.4, p99: 20.5, max: 333, resolution: 10 };
const NO_LATENCY: FollowedLatency = { p50: null, p99: null, max: null, resolution: 10 };

/** A finding of one record. */
const MISSING: ComparisonFinding = { kind: 'missing', source: 'sent.log', line: 3, lastLine: 3, records: 1, text: 'a' };
const ALTERED: ComparisonFinding = { ...MISSING, kind: 'altered', source: 'came.log' };
const STRETCH = { lastLine: 96_000, records: 87_832 } as const;

describe('a report as text', () => {
  test.each<[finding: ComparisonFinding, line: string]>([
    [MISSING, 'sent.log:3: missing: "a"'],
    [{ ...MISSING, ...STRETCH }, 'sent.log:3-96000: missing: 87832 records; first "a"'],
    [{ ...MISSING, kind: 'foreign', text: 'a\x1b' }, 'sent.log:3: foreign: "a\\x1b"'],
    [
      { ...MISSING, kind: 'foreign', records: 2, how: 'not an object' },
      'sent.log:3: foreign: 2 records; first not an object: "a"',
    ],
    [{ ...MISSING, kind: 'foreign', text: '{', how: 'a torn line of JSON' }, 'sent.log:3: foreign: a torn line of JSON: "{"'],
    [
      { ...ALTERED, how: 'cut after 1 byte', expectedLine: 4, expectedText: 'ab' },
      'came.log:3: altered: cut after 1 byte: "a"; expected "ab" of sent.log:4',
    ],
  ])('%j', (finding, line) => {
    expect(formatTextFinding(finding, 'sent.log')).toBe(`${line}\n`);
  });

  test.each<{ summary: Partial<ComparisonSummary>; latency?: FollowedLatency; line: string }>([
    { summary: {}, line: '14 of 16 records delivered (87.5 %)' },
    { summary: { recordsSent: 1, recordsDelivered: 0 }, line: '0 of 1 record delivered (0 %)' },
    {
      summary: { counts: countsOf(['missing', 'altered', 'missing', 'foreign'], ['foreign'], 1) },
      line: '14 of 16 records delivered (87.5 %): 2 missing, 1 altered; findings: 2 not shown, see --max; allowed: 1 foreign',
    },
    {
      summary: { lossy: 3, expectedPassedOver: 1, receivedPassedOver: 2 },
      line: '14 of 16 records delivered (87.5 %); 3 with bytes replaced that are not UTF-8; 1 expected line not compared; 2 received objects not compared',
    },
    {
      summary: { expectedPassedOver: 1 },
      latency: LATENCY,
      line: '14 of 16 records delivered (87.5 %); 1 expected line not compared; records took 1 ms (p50), 21 ms (p99), 333 ms (max), looked at every 10 ms',
    },
    { summary: {}, latency: NO_LATENCY, line: '14 of 16 records delivered (87.5 %)' },
  ])('$line', ({ summary, latency, line }) => {
    const end = { ...SUMMARY, ...summary, latency };
    const text = formatTextSummary(end, 'sent.log', describePassedOver(end));
    expect(text).toBe(`sent.log: ${line}\n`);
  });

  test.each([
    { sent: 3, delivered: 1, share: '33.33 %' },
    { sent: 3, delivered: 3, share: '100 %' },
    { sent: 2, delivered: 1, share: '50 %' },
    { sent: 100_000, delivered: 1, share: '0.01 %' },
    { sent: 100_000, delivered: 99_999, share: '99.99 %' },
  ])('$delivered of $sent is $share', ({ sent, delivered, share }) => {
    const summary = { ...SUMMARY, recordsSent: sent, recordsDelivered: delivered };
    expect(formatTextSummary(summary, 'sent.log', [])).toContain(` delivered (${share})\n`);
    expect(shareOf(summary)).toBe(delivered / sent);
  });
});

describe('a report as JSON', () => {
  test.each<[finding: ComparisonFinding, line: string]>([
    [
      { ...MISSING, ...STRETCH, text: 'a"\xc5\xbc' },
      '{"kind":"missing","source":"sent.log","line":3,"records":87832,"text":"a\\"ż"}',
    ],
    [
      { ...ALTERED, text: '\xff', how: 'cut', expectedLine: 4, expectedText: 'ab' },
      '{"kind":"altered","source":"came.log","line":3,"records":1,"text":"\ufffd","text_base64":"/w==","expected_line":4,"how":"cut"}',
    ],
  ])('%j', (finding, line) => {
    expect(formatJsonFinding(finding)).toBe(`${line}\n`);
  });

  test('the summary', () => {
    const summary = { ...SUMMARY, lossy: 3, counts: countsOf(['missing', 'missing', 'foreign'], ['foreign']) };
    const text = formatJsonSummary({ ...summary, latency: LATENCY });
    expect(text).toBe(
      '{"kind":"summary","records_sent":16,"records_delivered":14,"share":0.875,' +
        '"missing":2,"duplicated":0,"altered":0,"reordered":0,"foreign":1,"lossy":3,' +
        '"latency_ms":{"p50":1.4,"p99":20.5,"max":333,"resolution":10}}\n',
    );
    expect(formatJsonSummary(summary)).toContain('"latency_ms":null}');
  });
});
