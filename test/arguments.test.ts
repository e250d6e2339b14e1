import { describe, expect, test } from '@jest/globals';
import { CallError } from '../src/index.js';
import { runNode, PROJECT } from './support/run.js';

/** A call that JavaScript without types allows, and the message of its TypeError. */
const REFUSED: readonly (readonly [call: string, message: string])[] = [
  [
    "compareLogs(log, [log], { field: 'message' })",
    'options.field is not an option; the options are comparison, kind, isLossy, allowed, max, onEnd',
  ],
  [
    'compareLogs(log, [log], { lossy: true })',
    'options.lossy is not an option; the options are comparison, kind, isLossy, allowed, max, onEnd',
  ],
  [
    'compareLogs(log, [log], null)',
    'options is not an object; give one with keys of comparison, kind, isLossy, allowed, max, onEnd',
  ],
  ["compareLogs(log, [log], { kind: 'failure' })", 'options.kind is "failure"; give one of load_failure, deprecation'],
  ['compareLogs(log, [log], { isLossy: 1 })', 'options.isLossy is not a boolean'],
  ["compareLogs(log, [log], { max: '3' })", 'options.max is not a number from 0 on'],
  ['compareLogs(log, [log], { onEnd: true })', 'options.onEnd is not a function'],
  ["compareLogs(log, [log], { allowed: ['missing'] })", "options.allowed is not a Set; give one such as new Set(['duplicated'])"],
  [
    "compareLogs(log, [log], { allowed: new Set(['lost']) })",
    'a kind in options.allowed is "lost"; give one of missing, duplicated, altered, reordered, foreign',
  ],
  [
    "compareLogs(log, [log], { comparison: 'message' })",
    "options.comparison is not a comparison; give one such as { as: 'field', path: 'message' }",
  ],
  [
    "compareLogs(log, [log], { comparison: { as: 'json' } })",
    'options.comparison.as is "json"; give one of lines, field, fields',
  ],
  [
    "compareLogs(log, [log], { comparison: { as: 'field', name: 'message' } })",
    'options.comparison.name is not an option; the options are as, path',
  ],
  [
    "compareLogs(log, [log], { comparison: { as: 'field' } })",
    "options.comparison.path is not a path; give one such as 'event.original'",
  ],
  [
    "compareLogs(log, [log], { comparison: { as: 'fields', fields: { request_target: 'url' } } })",
    "options.comparison.fields is not a Map of paths; give one such as new Map([['request_target', 'url.original']])",
  ],
  [
    "compareLogs(log, [log], { comparison: { as: 'fields', fields: new Map([['target', 'url']]) } })",
    'a field in options.comparison.fields is "target"; give one of kind, instant, timestamp, utc_offset, timezone_name,' +
      ' runtime_tag, plugin_file_path, plugin_loader_file_path, session_file_path, line_number, http_method, request_target',
  ],
  [
    "compareLogs(log, [log], { comparison: { as: 'fields', fields: new Map([['kind', 1]]) } })",
    "the path of kind in options.comparison.fields is not a path; give one such as 'event.original'",
  ],
  [
    "compareLogs('a.log', ['b.log'])",
    "expected is not a source; give { source: 'error.log', chunks: createReadStream('error.log') }",
  ],
  [
    "compareLogs(log, ['b.log'])",
    "received[0] is not a source; give { source: 'error.log', chunks: createReadStream('error.log') }",
  ],
  [
    'compareLogs(log, log)',
    "received is not an array of sources; give [{ source: 'error.log', chunks: createReadStream('error.log') }]",
  ],
  [
    "compareLogs(log, [{ source: 'b.log', chunks: 'b.log' }])",
    "received[0].chunks is not a stream of bytes; give one, such as createReadStream('error.log')",
  ],
  ...[
    "parse('a.log')",
    "check('a.log')",
    "stats('a.log')",
    "readLoggedLines('a.log')",
    "readLoggedRecords('a.log')",
    "readLoggedRequests(Buffer.from('a'))",
    'findFirstGroup()',
  ].map((call) => [call, "log is not a stream of bytes; give one, such as createReadStream('error.log')"] as const),
  [
    "readRequestList('a.csv', { timezone: 'UTC' })",
    "chunks is not a stream of bytes; give one, such as createReadStream('error.log')",
  ],
  [
    "new LogFiles('a.log')",
    "files is not an array of sources; give [{ source: 'error.log', chunks: createReadStream('error.log') }]",
  ],
  ["new LogFiles(['a.log'])", "files[0] is not a source; give { source: 'error.log', chunks: createReadStream('error.log') }"],
  ['injectFaults([], site)', 'options is not an object; give one with keys of rates, seed, foreignRecords'],
  ['injectFaults([], site, { torn: 1 })', 'options.torn is not an option; the options are rates, seed, foreignRecords'],
  ...['undefined', '0.1'].map(
    (rates) =>
      [
        `injectFaults([], site, { rates: ${rates} })`,
        'options.rates is not an object; give one with keys of' +
          ' torn, missing, duplicate, swapped, altered, late, interleave, foreign, garbage, crlf, all',
      ] as const,
  ),
  [
    'injectFaults([], site, { rates: { tornn: 1 } })',
    'options.rates.tornn is not an option; the options are' +
      ' torn, missing, duplicate, swapped, altered, late, interleave, foreign, garbage, crlf, all',
  ],
  ["injectFaults([], site, { rates: { torn: '0.5' } })", 'options.rates.torn is not a number'],
  ["injectFaults([], site, { rates: {}, foreignRecords: 'a' })", 'options.foreignRecords is not an array of records'],
  ['injectFaults([], site, { rates: {}, foreignRecords: [1] })', 'a record in options.foreignRecords is not a string'],
  ['renderGroups([request], site)', 'a batch is not an array; give batches of requests: [[…]]'],
  ['injectFaults([request], site, { rates: {} })', 'a batch is not an array; give batches of requests: [[…]]'],
  ...['keep', 'sort', 'strict'].map(
    (order) =>
      [
        `orderRequests([request], { order: '${order}', source: 'a', deployment: site })`,
        'a batch is not an array; give batches of requests: [[…]]',
      ] as const,
  ),
  ...[
    'replay()',
    'replay(() => undefined)',
    'replay({})',
    'renderGroups(undefined, site)',
    'injectFaults(null, site, { rates: {} })',
    "orderRequests(5, { order: 'keep', source: 'a', deployment: site })",
  ].map((call) => [call, 'the requests are not batches; give an iterable of arrays of requests: [[…]]'] as const),
  ...[
    'check([null])',
    'parse([5])',
    "stats(['a'])",
    'readLoggedRequests([undefined])',
    'readRequestList([{}])',
    "readAccessLog(['a'])",
  ].map((call) => [call, 'a chunk of a stream is not bytes; give Buffers, as createReadStream does'] as const),
  ['parseRecord(5)', 'line is not a string; give a line of a log'],
  ['parseRecord()', 'line is not a string; give a line of a log'],
  ["orderRequests([[request]], { order: 'desc' })", 'options.order is "desc"; give one of strict, sort, keep'],
  [
    "synthesize({ duration: '1h' })",
    'options.duration is not an option; the options are' +
      ' seed, from, to, durationMs, count, rate, profile, arrivals, targets, shard, mark, timezone',
  ],
  ['synthesize({ seed: 0.5 })', 'options.seed is not a whole number of at most 15 digits'],
  ["synthesize({ arrivals: 'random' })", 'options.arrivals is "random"; give one of poisson, even, bursty'],
  ['synthesize({ count: -1 })', 'options.count is not a whole number from 0 on, or Infinity'],
  ['synthesize({ rate: 0 })', 'options.rate is not a number above 0'],
  [
    'synthesize({ from: new Date() })',
    "options.from is not a time; give Unix time in milliseconds, or a text such as '2025-05-18T12:00:00+02:00'",
  ],
  ["synthesize({ profile: 'night' })", 'options.profile is "night"; give one of flat, office'],
  [
    'synthesize({ targets: [] })',
    "no target of options.targets has a weight above 0; give one such as { target: '/mail/', weight: 1 }",
  ],
  [
    "synthesize({ targets: '/mail/' })",
    "options.targets is not an array of targets; give one such as [{ target: '/mail/', weight: 1 }]",
  ],
  ["synthesize({ targets: ['/mail/'] })", 'options.targets[0] is not an object; give one with keys of target, weight, method'],
  ['synthesize({ targets: [{ weight: 1 }] })', 'options.targets[0].target is not a string'],
  [
    "synthesize({ targets: [{ target: 'mail', weight: 1 }] })",
    'options.targets[0].target is not a request target; start it with / or http://',
  ],
  [
    "synthesize({ targets: [{ target: '/', weight: 1, method: 'A B' }] })",
    'options.targets[0].method is not an HTTP method; give one such as GET, or none for GET',
  ],
  ["synthesize({ targets: [{ target: '/', weight: '1' }] })", 'options.targets[0].weight is not a number from 0 on'],
  [
    "replay([], { faults: 'all:1' })",
    'options.faults is not an option; the options are deployment, order, start, loop, speed, mark, source, signal',
  ],
  ["replay([], { order: 'desc' })", 'options.order is "desc"; give one of strict, sort, keep'],
  ['replay([], { speed: -1 })', 'options.speed is not a number above 0'],
  ['replay([], { loop: 0 })', 'options.loop is not a whole number from 1 on, or Infinity'],
  ['replay([], { signal: true })', 'options.signal is not an AbortSignal'],
  ['replay([request])', 'a batch is not an array; give batches of requests: [[…]]'],
  ["parse(log.chunks, { as: 'ecs' })", 'options.as is "ecs"; give one of requests, records'],
  ["parse(log.chunks, { foreign: 'pass' })", 'options.foreign is "pass"; give one of skip, stop, emit'],
  [
    "parse(log.chunks, { foreign: 'emit' })",
    "options.foreign is emit, which has no place among requests; give as: 'records' with it",
  ],
  ["check(log.chunks, { max: '1' })", 'options.max is not a number from 0 on'],
  ["check(log.chunks, { allowed: ['foreign'] })", "options.allowed is not a Set; give one such as new Set(['interleaved'])"],
  ['check(log.chunks, { json: true })', 'options.json is not an option; the options are deployment, infer, allowed, max, onEnd'],
  ["check(log.chunks, { infer: 'yes' })", 'options.infer is not a boolean'],
  [
    "readRequestList(log.chunks, { order: 'sort' })",
    'options.order is not an option; the options are timezone, source, onBadRow',
  ],
  [
    "readAccessLog(log.chunks, { prefixes: 'mail' })",
    "options.prefixes is not an array of path prefixes; give one such as ['mail']",
  ],
  ['orderRequests([[request]])', 'options is not an object; give one with keys of order, source, deployment'],
];

/** A call whose options contradict each other, or hold a text that cannot be read, and the message of its CallError. */
const CONTRADICTING: readonly (readonly [call: string, message: string])[] = [
  ["synthesize({ from: 'noon' })", 'CallError: options.from: "noon" is not a timestamp; give it as'],
  ['synthesize({ from: -1 })', 'CallError: options.from: "-1" is before 1970-01-01T00:00:00Z; give a later time'],
  ["synthesize({ to: '2020-01-01' })", 'CallError: options.to: "2020-01-01" is not after options.from; give a later time'],
  [
    'synthesize({ to: 1e12, durationMs: 1 })',
    'CallError: options.durationMs: options.to already gives the end of the traffic; give one of the two',
  ],
  [
    'synthesize({ count: 1, rate: 1, durationMs: 1 })',
    'CallError: options.durationMs: follows from options.count and options.rate; give two of the three',
  ],
  ['synthesize({ count: Infinity })', 'CallError: options.count: "Infinity" needs a rate; give options.rate too'],
  ["synthesize({ shard: '2' })", 'CallError: options.shard: "2" is not a slice; give it as i/n, from 1/n to n/n'],
  ["synthesize({ mark: 'a b' })", 'CallError: options.mark: "a b" is not a parameter name; give letters,'],
  ["synthesize({ timezone: 'Mars' })", 'RangeError: timezone is not a time zone that this Node knows; give an IANA name'],
  ["replay([], { start: 'noon' })", 'CallError: options.start: "noon" is not a timestamp; give it as'],
  ["replay([], { mark: '' })", 'CallError: options.mark: "" is not a parameter name;'],
  ['replay([], { deployment: {} })', 'DeploymentError: installRoot is missing; make the deployment with createDeployment'],
  ['check(log.chunks, { deployment: {} })', 'DeploymentError: installRoot is missing; make the deployment'],
  [
    'check(log.chunks, { deployment: site, infer: true })',
    'CallError: options.infer: takes the deployment from the log; leave out options.deployment',
  ],
];

/** One program makes every call, as JavaScript without types does: the types of this file would refuse them. */
async function messagesOf(calls: readonly string[]): Promise<readonly string[]> {
  const program = `
    import {
      check, compareLogs, createDeployment, findFirstGroup, injectFaults, LogFiles, orderRequests, parse,
      parseRecord, readAccessLog,
      readLoggedLines, readLoggedRecords, readLoggedRequests, readRequestList, renderGroups, replay, stats, synthesize,
    } from 'webmail-diaglog';
    const site = createDeployment();
    const request = { millisecond: 0, method: 'GET', target: '/' };
    const log = { source: 'a.log', chunks: [] };
    const messages = [];
    for (const call of [${calls.map((call) => `() => ${call}`).join(',')}]) {
      try {
        const made = await call();
        if (made?.[Symbol.asyncIterator]) for await (const _ of made);
        messages.push('no error');
      } catch (error) {
        messages.push(error instanceof TypeError ? error.message : String(error));
      }
    }
    process.stdout.write(JSON.stringify(messages));`;
  const { stdout, stderr } = await runNode(['--input-type=module', '--eval', program], { cwd: PROJECT });
  expect(stderr).toBe('');
  const messages: unknown = JSON.parse(Buffer.from(stdout, 'latin1').toString());
  return Array.isArray(messages) ? messages.map(String) : [];
}

describe('the library, called without types', () => {
  let made: Promise<readonly string[]> | undefined;

  test.each(REFUSED.map(([call, message], index) => [call, message, index] as const))(
    '%s is a TypeError',
    async (_call, message, index) => {
      made ??= messagesOf(REFUSED.map(([call]) => call));
      expect((await made)[index]).toBe(message);
    },
  );

  test('says which options contradict each other, and which text cannot be read', async () => {
    const messages = await messagesOf(CONTRADICTING.map(([call]) => call));
    expect(messages).toEqual(CONTRADICTING.map(([, message]) => expect.stringContaining(message)));
  });

  test('an option that is undefined counts as left out', async () => {
    const options = 'comparison: undefined, kind: undefined, isLossy: undefined, allowed: undefined, max: undefined';
    expect(await messagesOf([`compareLogs(log, [log], { ${options} })`])).toEqual(['no error']);
  });

  test('CallError is an export', () => {
    expect(new CallError({ source: 'error.log' }, 'is a folder', 'name a file').message).toBe(
      'error.log: is a folder; name a file',
    );
  });
});
