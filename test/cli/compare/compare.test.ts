import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { call, expectRefused } from '../../support/call.js';
import { makeFolder, objectsOf, PROJECT, readBytes, refused, run } from '../../support/run.js';

/** Two requests of the golden log: records 1 to 16. */
const SENT = readBytes(PROJECT, 'fixtures/requests.log').split('\n').slice(0, 16);

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** A folder with the sent log, and what was received of it: the third record is missing, the twelfth altered. */
function makeDelivery(): string {
  const received = SENT.filter((_, index) => index !== 2).map((line) => (line === SENT[11] ? line.slice(0, 100) : line));
  const documents = received.map((message) => JSON.stringify({ event: { message } }));
  return makeFolder({ 'sent.log': textOf(SENT), 'received.log': textOf(received), 'received.ndjson': textOf(documents) });
}

const MISSING = `sent.log:3: missing: "${SENT[2] ?? ''}"\n`;
const ALTERED = `received.log:11: altered: cut after 100 bytes: "${SENT[11]?.slice(0, 100) ?? ''}"; expected "${SENT[11] ?? ''}" of sent.log:12\n`;
const DELIVERED = 'sent.log: 14 of 16 records delivered (87.5 %)';

describe('compare', () => {
  test.each([
    ['', 1, `${MISSING}${ALTERED}${DELIVERED}: 1 missing, 1 altered\n`],
    ['--max 1', 1, `${MISSING}${DELIVERED}: 1 missing, 1 altered; findings: 1 not shown, see --max\n`],
    ['--allow missing', 1, `${ALTERED}${DELIVERED}: 1 altered; allowed: 1 missing\n`],
    ['--allow missing,altered', 0, `${DELIVERED}; allowed: 1 missing, 1 altered\n`],
  ])('reports what is found: %s', async (options, exit, stdout) => {
    const cwd = makeDelivery();
    expect(await call(`compare ${options} sent.log received.log`, { cwd })).toEqual({ exit, stdout, stderr: '' });
  });

  const NOT_NDJSON =
    "received is not NDJSON, one object a line; convert it with jq -c (an array with jq -c '.[]'), or leave out --field and --fields";
  const NO_EVENT = 'no received object has the field "nope"; the first has: file, message';

  test.each<[string, string[], string, string]>([
    ['a wrong --field', ['--field', 'nope'], '{"file":"x","message":"a"}\n{"message":"b"}\n', NO_EVENT],
    [
      'a --field that few objects have',
      ['--field', 'a'],
      `{"a":"a"}\n${'{"b":1,"c\\u001b":2}\n'.repeat(9)}`,
      'only 1 of 10 received objects have the field "a"; the first without has: b, c\\x1b',
    ],
    [
      'wrong --fields',
      ['--fields', 'request_target=url'],
      '{}\n',
      'no received object has a field that --fields names; the first has: no keys',
    ],
    ['JSON over several lines', ['--field', 'message'], '{\n  "message": "a"\n}\n', NOT_NDJSON],
    ['a log given as NDJSON', ['--field', 'message'], textOf(SENT), NOT_NDJSON],
    ['NDJSON given as a log', [], '{"message":"a"}\n{"message":"b"}\n', 'received is NDJSON; give --field or --fields'],
    [
      'records of another driver',
      [],
      textOf(SENT.map((line) => line.replace(/^\[.*?\]:? /, ''))),
      'the records received have no timestamps of their own, those sent have; write the log with the driver of the other side, such as --envelope syslog',
    ],
    [
      'an unknown prefix',
      [],
      textOf(SENT.map((line) => `web-1| ${line}`)),
      'each line has "web-1| " before the record; take it off: LC_ALL=C sed \'s/^.\\{7\\}//\' FILE',
    ],
  ])('says the likely cause of %s beside the report', async (_what, args, stdin, cause) => {
    const { exit, stderr } = await call(['compare', '--max', '0', ...args, 'sent.log'], { cwd: makeDelivery(), stdin });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: `webmail-diaglog: <stdin>: ${cause}\n` });
  });

  test('says nothing of timestamps where a side holds no record', async () => {
    const cwd = makeFolder({ 'other.log': 'hello\n' });
    const stdin = textOf(SENT.map((line) => line.replace(/^\[.*?\]:? /, '')));
    expect(await call('compare --max 0 - other.log', { cwd, stdin })).toMatchObject({ exit: 1, stderr: '' });
  });

  test.each<[string, string[], string]>([
    ['a log', [], textOf(SENT.slice(0, 1))],
    ['objects of which some have the field', ['--field', 'a'], '{"a":"a"}\n{"b":1}\n'],
    ['lines of which one is torn', ['--field', 'a'], '{"a":"a"}\n{"b'],
    ['lines of which one begins with a brace', [], '{"a":1}\nb\n'],
    ['nothing', ['--field', 'a'], ''],
  ])('suspects no wrong option where %s is received', async (_what, args, stdin) => {
    const { exit, stderr } = await call(['compare', ...args, 'sent.log'], { cwd: makeDelivery(), stdin });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' });
  });

  test.each<[string, string[], string]>([
    [
      'of exchanged arguments',
      ['--field', 'event.message', 'received.ndjson', 'sent.log'],
      'sent.log: received is not NDJSON, and the expected log is; name the log that was sent first',
    ],
    [
      'of records of another kind',
      ['--kind', 'load_failure', 'sent.log', 'sent.log'],
      'sent.log: has records of another kind than --kind; --allow foreign accepts them',
    ],
  ])('gives a hint %s', async (_what, args, hint) => {
    const { exit, stderr } = await call(['compare', ...args], { cwd: makeDelivery() });
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: `webmail-diaglog: ${hint}\n` });
  });

  test.each(['another', 'the same'])("of Docker's log, NDJSON is not suspected: beside %s envelope", async (which) => {
    const docker = (text: string): string =>
      `${JSON.stringify({ log: `${text}\n`, stream: 'stderr', time: '2025-05-18T10:00:00.5Z' })}\n`;
    const cwd = which === 'the same' ? makeFolder({ 'sent.log': SENT.slice(2).map(docker).join('') }) : makeDelivery();
    const { exit, stderr } = await call('compare sent.log', { cwd, stdin: docker(SENT[0]?.replace('GET', 'PUT') ?? '') });
    expect({ exit, isSuspected: stderr.includes('NDJSON') }).toEqual({ exit: 1, isSuspected: false });
  });

  test('--json: an object for each finding with its text whole, and the summary last', async () => {
    const { exit, stdout } = await call('compare --json --field event.message sent.log received.ndjson', {
      cwd: makeDelivery(),
    });
    expect({ exit, objects: objectsOf(stdout) }).toEqual({
      exit: 1,
      objects: [
        { kind: 'missing', source: 'sent.log', line: 3, records: 1, text: SENT[2] },
        expect.objectContaining({ kind: 'altered', text: SENT[11]?.slice(0, 100), expected_line: 12 }),
        expect.objectContaining({ kind: 'summary', records_sent: 16, records_delivered: 14, missing: 1, altered: 1 }),
      ],
    });
  });

  test('reads several received files in the order given, gzip, and a last line without LF', async () => {
    const cwd = makeFolder({
      'sent.log.gz': gzipSync(Buffer.from(textOf(SENT), 'latin1')),
      'b.log': SENT.slice(0, 4).join('\n'),
      'a.log.gz': gzipSync(Buffer.from(textOf(SENT.slice(4)), 'latin1')),
    });
    const inOrder = await call('compare sent.log.gz b.log a.log.gz', { cwd });
    expect(inOrder).toEqual({
      exit: 0,
      stdout: 'sent.log.gz: 16 of 16 records delivered (100 %)\n',
      stderr: '',
    });
    const swapped = await call('compare --max 0 sent.log.gz a.log.gz b.log', { cwd });
    expect(swapped.stdout).toContain(': 4 reordered; findings: 1 not shown');
  });

  test('a gzip that ends early: the report of what came before, then exit 1', async () => {
    const cwd = makeDelivery();
    const stdin = gzipSync(Buffer.from(textOf(SENT), 'latin1'))
      .subarray(0, -8)
      .toString('latin1');
    expect(await call('compare --max 0 sent.log', { cwd, stdin })).toEqual({
      exit: 1,
      stdout: 'sent.log: 16 of 16 records delivered (100 %)\n',
      stderr: 'webmail-diaglog: <stdin>: its gzip ends early; copy the file again\n',
    });
  });

  test('an expected log without a record that can be compared is exit 1, not all delivered', async () => {
    const cwd = makeFolder({ 'sent.csv': 'timestamp,request_target\n' });
    expect(await call('compare --fields kind=kind sent.csv', { cwd, stdin: '' })).toEqual({
      exit: 1,
      stdout: 'sent.csv: no record was sent; 1 expected line not compared\n',
      stderr:
        'webmail-diaglog: sent.csv: none of its 1 line is a record to compare; check that it is the log that was sent, and --kind\n',
    });
  });

  test.each(['', '--wait 100ms', '--envelope cri'])('an empty expected log is named, not all delivered: %s', async (options) => {
    const cwd = makeFolder({ 'sent.log': '', 'received.log': '' });
    const { exit, stdout, stderr } = await call(`compare ${options} sent.log received.log`, { cwd });
    expect({ exit, stdout, said: stderr.split('\n').slice(0, -1) }).toEqual({
      exit: 0,
      stdout: 'sent.log: no record was sent\n',
      said: expect.arrayContaining(['webmail-diaglog: sent.log: is empty; check that it is the log that was sent']),
    });
  });

  test('is exit 2 where texts have to go to a temporary file, and none can be made', async () => {
    const cwd = makeDelivery();
    const stdin = 'one of many lines\n'.repeat(250_000);
    const result = await run('compare - received.log', { cwd, stdin, env: { TMPDIR: join(cwd, 'none') } });
    expect(result).toEqual(refused(`${join(cwd, 'none')}: no such file or folder; check the path (0 findings written)`));
  });

  test('is exit 2, and one line says why', async () => {
    await expectRefused('compare', makeDelivery(), {
      "sent.log received.log --field ''": '--field: "" is not a field; give its name, such as message',
      'sent.log received.log --field a --fields kind=a': '--fields: cannot be combined with --field; give one of the two',
      'sent.log received.log --fields kind':
        '--fields: "kind" is not a name=path pair; give one such as request_target=url.original',
      'sent.log received.log --fields kind=a,kind=b': '--fields: "kind" is named twice; name each once',
      'sent.log --wait 1s tcp://127.0.0.1:514':
        'tcp://127.0.0.1:514: an address cannot be read from; start webmail-diaglog receive --tcp or --udp there, and name the file that it writes',
      '- -': '-: standard input can be read only once; name the log that was sent',
      'sent.log received.log received.log': 'received.log: the received file is named twice; name it once',
      'sent.log received.log -o sent.log': 'sent.log: the output is the input file; name another file',
    });
  });
});
