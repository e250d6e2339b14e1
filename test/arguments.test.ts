import { expect, test } from '@jest/globals';
import { runNode, PROJECT } from './support/run.js';

const COMPARE_KEYS = 'field, fields, kind, lossy, envelope, allow, max, onMismatch, onEnd';
const RATE_KEYS = 'torn, missing, duplicate, swapped, altered, late, interleave, foreign, garbage, crlf, all';
const SOURCE = "is not a source; give { source: 'error.log', chunks: createReadStream('error.log') }";
const SOURCES = "is not an array of sources; give [{ source: 'error.log', chunks: createReadStream('error.log') }]";
const STREAM = "is not a stream of bytes; give one, such as createReadStream('error.log')";
const CHUNKS = 'a chunk of a stream is not bytes; give Buffers, as createReadStream does';
const BATCHES = 'the requests are not batches; give an iterable of arrays of requests: [[…]]';
const FLAT = 'a batch is not an array; give batches of requests: [[…]]';

/** A call that JavaScript without types allows, and the message of its TypeError; of another error its name, too. */
const REFUSED: Readonly<Record<string, string>> = {
  "compareLogs(log, [log], { comparison: 'lines' })": `options.comparison is not an option; the options are ${COMPARE_KEYS}`,
  'compareLogs(log, [log], { isLossy: true })': `options.isLossy is not an option; the options are ${COMPARE_KEYS}`,
  'compareLogs(log, [log], null)': `options is not an object; give an object with any of the keys ${COMPARE_KEYS}`,
  "compareLogs(log, [log], { kind: 'failure' })": 'options.kind is "failure"; give one of load_failure, deprecation',
  'compareLogs(log, [log], { lossy: 1 })': 'options.lossy is not a boolean',
  "compareLogs(log, [log], { max: '3' })": 'options.max is not a number from 0 on',
  'compareLogs(log, [log], { onEnd: true })': 'options.onEnd is not a function',
  "compareLogs(log, [log], { allow: 'missing' })": "options.allow is not an array; give one such as ['duplicated']",
  "compareLogs(log, [log], { allow: new Set(['lost']) })":
    'a kind in options.allow is "lost"; give one of missing, duplicated, altered, reordered, foreign',
  "compareLogs(log, [log], { field: '' })": "options.field is not a path; give one such as 'event.original'",
  'compareLogs(log, [log], { fields: new Map() })':
    "options.fields is not an object of paths; give one such as { request_target: 'url' }",
  "compareLogs(log, [log], { fields: { target: 'url' } })":
    'a field in options.fields is "target"; give one of kind, instant, timestamp, utc_offset, timezone_name,' +
    ' session_id, runtime_tag, plugin_file_path, plugin_loader_file_path, session_file_path, line_number, http_method, request_target',
  'compareLogs(log, [log], { fields: { kind: 1 } })': "options.fields.kind is not a path; give one such as 'event.original'",
  "compareLogs('a.log', ['b.log'])": `expected ${SOURCE}`,
  "compareLogs(log, ['b.log'])": `received[0] ${SOURCE}`,
  'compareLogs(log, log)': `received ${SOURCES}`,
  "compareLogs(log, [{ source: 'b.log', chunks: 'b.log' }])": `received[0].chunks ${STREAM}`,
  "parse('a.log')": `log ${STREAM}`,
  "check('a.log')": `log ${STREAM}`,
  "stats('a.log')": `log ${STREAM}`,
  "readLoggedLines('a.log')": `log ${STREAM}`,
  "readLoggedRecords('a.log')": `log ${STREAM}`,
  "readLoggedRequests(Buffer.from('a'))": `log ${STREAM}`,
  'findFirstGroup()': `log ${STREAM}`,
  "readRequestList('a.csv', { timezone: 'UTC' })": `chunks ${STREAM}`,
  "new LogFiles('a.log')": `files ${SOURCES}`,
  "new LogFiles(['a.log'])": `files[0] ${SOURCE}`,
  'injectFaults([], site)':
    'options is not an object; give an object with any of the keys rates, seed, foreignRecords, foreignOnly, envelope',
  'injectFaults([], site, { torn: 1 })':
    'options.torn is not an option; the options are rates, seed, foreignRecords, foreignOnly, envelope',
  'injectFaults([], site, { rates: undefined })': `options.rates is not an object; give an object with any of the keys ${RATE_KEYS}`,
  'injectFaults([], site, { rates: 0.1 })': `options.rates is not an object; give an object with any of the keys ${RATE_KEYS}`,
  'injectFaults([], site, { rates: { tornn: 1 } })': `options.rates.tornn is not an option; the options are ${RATE_KEYS}`,
  "injectFaults([], site, { rates: { torn: '0.5' } })": 'options.rates.torn is not a number',
  "injectFaults([], site, { rates: {}, foreignRecords: 'a' })": 'options.foreignRecords is not an array of records',
  'injectFaults([], site, { rates: {}, foreignRecords: [1] })': 'a record in options.foreignRecords is not a string',
  'renderGroups([request], site)': FLAT,
  'injectFaults([request], site, { rates: {} })': FLAT,
  "orderRequests([request], { order: 'keep', source: 'a', deployment: site })": FLAT,
  "orderRequests([request], { order: 'sort', source: 'a', deployment: site })": FLAT,
  "orderRequests([request], { order: 'strict', source: 'a', deployment: site })": FLAT,
  'replay()': BATCHES,
  'replay(() => undefined)': BATCHES,
  'replay({})': BATCHES,
  'renderGroups(undefined, site)': BATCHES,
  'injectFaults(null, site, { rates: {} })': BATCHES,
  "orderRequests(5, { order: 'keep', source: 'a', deployment: site })": BATCHES,
  'check([null])': CHUNKS,
  'parse([5])': CHUNKS,
  "stats(['a'])": CHUNKS,
  'readLoggedRequests([undefined])': CHUNKS,
  'readRequestList([{}])': CHUNKS,
  "readAccessLog(['a'])": CHUNKS,
  'parseRecord(5)': 'line is not a string; give a line of a log',
  'parseRecord()': 'line is not a string; give a line of a log',
  "synthesize({ duration: '1h' })": 'options.duration is not a number above 0',
  'synthesize({ length: 1 })':
    'options.length is not an option; the options are' +
    ' seed, from, to, duration, count, rate, profile, arrivals, targets, shard, mark, timezone',
  "replay([], { faults: 'all:1' })":
    'options.faults is not an option; the options are deployment, envelope, order, start, loop, speed, mark, source, signal',
  "replay([], { order: 'desc' })": 'options.order is "desc"; give one of strict, sort, keep',
  "replay([], { envelope: 'podman' })": 'options.envelope is "podman"; give one of docker, cri, syslog, rfc3164, rfc5424, none',
  'replay([], { speed: -1 })': 'options.speed is not a number above 0',
  'replay([], { loop: 0 })': 'options.loop is not a whole number from 1 on, or Infinity',
  'replay([], { signal: true })': 'options.signal is not an AbortSignal',
  'replay([request])': FLAT,
  "parse(log.chunks, { of: 'records' })": 'options.of is not an option; the options are as, foreign, onEnd',
  "parse(log.chunks, { onEnd: 'x' })": 'options.onEnd is not a function',
  'parse(log.chunks, null)': 'options is not an object; give an object with any of the keys as, foreign, onEnd',
  "parse(log.chunks, { as: 'ecs' })": 'options.as is "ecs"; give one of requests, records',
  "parse(log.chunks, { foreign: 'pass' })": 'options.foreign is "pass"; give one of skip, stop, emit',
  "parse(log.chunks, { foreign: 'emit' })":
    "options.foreign is emit, which has no place among requests; give as: 'records' with it",
  "check(log.chunks, { max: '1' })": 'options.max is not a number from 0 on',
  "check(log.chunks, { allow: 'foreign' })": "options.allow is not an array; give one such as ['interleaved']",
  'check(log.chunks, { json: true })': 'options.json is not an option; the options are deployment, infer, allow, max, onEnd',
  "check(log.chunks, { infer: 'yes' })": 'options.infer is not a boolean',
  "readRequestList(log.chunks, { order: 'sort' })": 'options.order is not an option; the options are timezone, source, onBadRow',
  "readAccessLog(log.chunks, { prefixes: 'mail' })":
    "options.prefixes is not an array of path prefixes; give one such as ['mail']",
  'orderRequests([[request]])': 'options is not an object; give an object with any of the keys order, source, deployment',
  'compareLogs(log, [log], { field: undefined, fields: undefined, kind: undefined, allow: undefined, max: undefined })':
    'no error',
  "compareLogs(log, [log], { field: 'a', fields: { kind: 'b' } })":
    'CallError: options.fields: cannot be combined with options.field; give one of the two',
  'synthesize({ to: 1e12, duration: 1 })':
    'CallError: options.duration: options.to already gives the end of the traffic; give one of the two',
  "synthesize({ timezone: 'Mars' })":
    'RangeError: timezone is not a time zone that this Node knows; give an IANA name such as Europe/Warsaw',
  "replay([], { start: 'noon' })":
    'CallError: options.start: "noon" is not a timestamp; give it as 2025-05-18T12:00:00+02:00, 18-May-2025 12:00:00 +0200, 18/May/2025:12:00:00 +0200 or Unix time',
  "replay([], { mark: '' })": 'CallError: options.mark: "" is not a parameter name; give letters, digits or ._~-, such as r',
  'replay([], { deployment: {} })': 'DeploymentError: installRoot is missing; make the deployment with createDeployment',
  'check(log.chunks, { deployment: {} })': 'DeploymentError: installRoot is missing; make the deployment with createDeployment',
  'check(log.chunks, { deployment: site, infer: true })':
    'CallError: options.infer: takes the deployment from the log; leave out options.deployment',
};

/** One program makes every call, as JavaScript without types does: the types of this file would refuse them. */
async function messagesOf(calls: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const program = `
    import {
      check, compareLogs, createDeployment, findFirstGroup, injectFaults, LogFiles, orderRequests, parse, parseRecord, readAccessLog,
      readLoggedLines, readLoggedRecords, readLoggedRequests, readRequestList, renderGroups, replay, stats, synthesize,
    } from 'webmail-diaglog';
    const site = createDeployment();
    const request = { millisecond: 0, method: 'GET', target: '/' };
    const log = { source: 'a.log', chunks: [] };
    const messages = {};
    for (const [text, call] of [${calls.map((call) => `[${JSON.stringify(call)}, () => ${call}]`).join(',')}]) {
      try {
        const made = await call();
        if (made?.[Symbol.asyncIterator]) for await (const _ of made);
        messages[text] = 'no error';
      } catch (error) {
        messages[text] = error instanceof TypeError ? error.message : String(error);
      }
    }
    process.stdout.write(JSON.stringify(messages));`;
  const { stdout, stderr } = await runNode(['--input-type=module', '--eval', program], { cwd: PROJECT });
  expect(stderr).toBe('');
  const messages: unknown = JSON.parse(Buffer.from(stdout, 'latin1').toString());
  return Object.fromEntries(Object.entries(messages ?? {}));
}

test('the library, called without types, says what is wrong with each argument', async () => {
  expect(await messagesOf(Object.keys(REFUSED))).toEqual(REFUSED);
});
