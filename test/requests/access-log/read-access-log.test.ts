import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAccessLog, type AccessLogOptions } from '../../../src/requests/access-log/read-access-log.js';
import { method, target } from '../../support/arbitraries.js';
import { chunksOf, outcomeOf } from '../../support/bytes.js';

const TIME = '18/May/2025:12:00:00 +0200';
const SECOND = 1_747_562_400;

interface Read {
  readonly requests: string[];
  readonly unhandled: number;
  readonly broken: number;
}

async function read(log: string, options: Partial<AccessLogOptions> = {}, cuts: readonly number[] = []): Promise<Read> {
  const counts = { unhandled: 0, broken: 0 };
  const requests: string[] = [];
  const all = { timezone: 'Europe/Warsaw', onSkipped: (why: keyof typeof counts) => (counts[why] += 1), ...options };
  for await (const batch of readAccessLog(chunksOf(log, cuts), all)) {
    for (const request of batch)
      requests.push(`${String(request.line)} ${String(request.millisecond)} ${request.method} ${request.target}`);
  }
  return { requests, ...counts };
}

/** A line of the Combined format. */
function line(request: string, status = '200'): string {
  return `127.0.0.1 - - [${TIME}] "${request}" ${status} 5316 "-" "Mozilla/5.0 (X11)"`;
}

function found(...requests: string[]): Read {
  return {
    requests: requests.map((request, index) => `${String(index + 1)} ${String(SECOND)}000 ${request}`),
    unhandled: 0,
    broken: 0,
  };
}

const BROKEN: Read = { requests: [], unhandled: 0, broken: 1 };
const UNHANDLED: Read = { requests: [], unhandled: 1, broken: 0 };

describe('readAccessLog', () => {
  test.each([
    ['Common', `127.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1" 200 5316`, 'GET /mail/'],
    ['Combined', line('GET /mail/ HTTP/1.1'), 'GET /mail/'],
    ['no bytes sent', `127.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1" 304 -`, 'GET /mail/'],
    ['a host before it', `mail.example.org:443 10.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1" 200 1`, 'GET /mail/'],
    ['a user with blanks', `10.0.0.1 - jan kowalski [x] [${TIME}] "GET /mail/ HTTP/1.1" 200 1`, 'GET /mail/'],
    [
      'a user that would be a request',
      `10.0.0.1 - a [${TIME}] \\"GET /evil/ HTTP/1.1\\" 200 1 [${TIME}] "GET /mail/ HTTP/1.1" 200 1`,
      'GET /mail/',
    ],
    ['HTTP/3', line('GET /mail/ HTTP/3'), 'GET /mail/'],
    ['another method', line('PROPFIND /mail/ HTTP/1.1'), 'PROPFIND /mail/'],
    ['an absolute form', line('GET http://host/mail/?x HTTP/1.1'), 'GET http://host/mail/?x'],
    ['a script', line('POST /mail/index.php?_task=mail HTTP/1.1'), 'POST /mail/index.php?_task=mail'],
    ['a fragment', line('GET /mail/#a.css HTTP/1.1'), 'GET /mail/#a.css'],
    ["nginx's escapes", line('GET /?q=\\x22a\\x5Cb\\xC5\\xBC\\xFF HTTP/1.1'), 'GET /?q="a\\b\xc5\xbc\xff'],
    ["Apache's escapes", line('GET /?q=\\"a\\\\b\\xc5\\xbc\\xff HTTP/1.1'), 'GET /?q="a\\b\xc5\xbc\xff'],
    ['a backslash before what looks like an escape', line('GET /?q=\\\\x22 HTTP/1.1'), 'GET /?q=\\x22'],
    ['raw bytes', line('GET /?q=\xff HTTP/1.1'), 'GET /?q=\xff'],
    ['Common, CRLF', `127.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1" 200 5316\r`, 'GET /mail/'],
  ])('%s', async (_name, text, request) => {
    expect(await read(`${text}\n`)).toEqual(found(request));
    expect(await read(text.replace(/\r$/, ''))).toEqual(found(request));
  });

  test.each([
    ['no request', line('-', '408')],
    ['no protocol', line('GET /mail/')],
    ['blanks in the target', line('GET /a b HTTP/1.1')],
    ['an escape of JSON, as nginx writes it with escape=json', line('GET /?q=\\u0041 HTTP/1.1')],
    ['a backslash that begins no escape', line('GET /a\\ HTTP/1.1')],
    ['a blank once unescaped', line('GET /a\\x20b HTTP/1.1')],
    ['a line break once unescaped', line('GET /a\\nb HTTP/1.1')],
    ['an LF once unescaped, by its number', line('GET /a\\x0ab HTTP/1.1')],
    ['a method that is none', line('G(T /mail/ HTTP/1.1')],
    ['an asterisk', line('OPTIONS * HTTP/1.0')],
    ['an unclosed request', `127.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1 200 1`],
    ['an unclosed request that ends in a backslash', `127.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1\\`],
    ['no status', `127.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1"`],
    ['a time that does not exist', line('GET /mail/ HTTP/1.1').replace('18/May', '31/Feb')],
    ['a time before 1970', line('GET /mail/ HTTP/1.1').replace('2025', '1969')],
    ['a record of the error log', `[18-May-2025 12:00:00 +0200]: PHP Error: x "GET /mail/ HTTP/1.1" 200 1`],
    ['a line of more than 1 MiB', line(`GET /?${'x'.repeat(1 << 20)} HTTP/1.1`)],
    ['a CR within', line('GET /mail/ HTTP/1.1').replace('GET', 'G\rT')],
  ])('broken: %s', async (_name, text) => {
    expect(await read(`${text}\n`)).toEqual(BROKEN);
    expect(await read(`${text}\n`, { everyLine: true })).toEqual(BROKEN);
  });

  test.each([
    ...['400', '404', '405', '408', '414'].map((status) => [status, '/mail/', false] as const),
    ...['200', '301', '401', '403', '499', '503'].map((status) => [status, '/mail/?f=a.php/b.css', true] as const),
    ['200', '/mail/skins/elastic/styles.css', false],
    ['200', '/mail', false],
    ['200', '/mail.php.bak?x=/', false],
  ])('handled by the application: %s %s: %s', async (status, target, isHandled) => {
    const log = `${line(`GET ${target} HTTP/1.1`, status)}\n`;
    expect(await read(log)).toEqual(isHandled ? found(`GET ${target}`) : UNHANDLED);
    expect((await read(log, { everyLine: true })).requests).toHaveLength(1);
  });

  test.each([
    ['/mail/', 'mail'],
    ['/mail/x/', 'mail'],
    ['/webmail/index.php', 'webmail'],
    ['HTTP://h/mail/', 'mail'],
    ['https://h:8443/mail/#a.css', 'mail'],
    ['/mail/#/b.css?c', 'mail'],
    ...['/mail.php', '/mailbox/', '/', '/x?/mail/'].map((target) => [target, undefined] as const),
  ])('with prefixes, %s is under %s', async (target, prefix) => {
    const log = `${line(`GET ${target} HTTP/1.1`)}\n`;
    expect(await read(log, { prefixes: ['mail', 'webmail'] })).toEqual(prefix === undefined ? UNHANDLED : found(`GET ${target}`));
    expect(await read(log, { prefixes: ['other'] })).toEqual(UNHANDLED);
  });

  test.each(['\n', '\r\n'])('blank lines are nothing, and lines are counted as they stand (%j)', async (lf) => {
    expect(await read(['', line('GET /a/ HTTP/1.1'), '', 'broken', line('GET /b/ HTTP/1.1'), ''].join(lf))).toEqual({
      requests: [`2 ${String(SECOND)}000 GET /a/`, `5 ${String(SECOND)}000 GET /b/`],
      unhandled: 0,
      broken: 1,
    });
  });

  test('any valid request comes back, escaped as nginx and as Apache do, cut anywhere', async () => {
    const nginx = (text: string): string =>
      text.replace(/["\\\x00-\x1f\x7f-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
    const apache = (text: string): string =>
      text.replace(/["\\]/g, '\\$&').replace(/[\x7f-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(method, target), { maxLength: 5 }),
        fc.constantFrom(nginx, apache),
        fc.array(fc.nat(2000)),
        async (list, escape, cuts) => {
          const log = list.map(([verb, path]) => `${line(`${escape(verb)} ${escape(path)} HTTP/1.1`)}\n`).join('');
          expect(await read(log, { everyLine: true }, cuts)).toEqual(found(...list.map((request) => request.join(' '))));
        },
      ),
    );
  });

  test('anything at all is read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary-ascii', maxLength: 300 }), fc.nat(200), async (noise, at) => {
        const good = `${line('GET /mail/ HTTP/1.1')}\n`;
        const { requests, unhandled, broken } = await read(good.slice(0, at) + noise + good.slice(at), { everyLine: true });
        expect(unhandled).toBe(0);
        expect(requests.length + broken).toBeLessThanOrEqual(noise.split('\n').length + 1);
      }),
    );
  });
});

test('a time is broken that has five digits of a year on the clocks of the zone', async () => {
  const late = line('GET /mail/ HTTP/1.1').replace(TIME, '31/Dec/9999:23:30:00 +0000');
  expect(await read(late)).toEqual(BROKEN);
  expect((await read(late, { timezone: 'UTC' })).broken).toBe(0);
});

describe('an access log in lines of JSON', () => {
  const readJson = (log: string, options: Partial<AccessLogOptions> = {}): Promise<Read> =>
    read(log, { ...options, format: 'json' });
  const ISO = '2025-05-18T12:00:00+02:00';

  test.each<[string, object, string]>([
    ['nginx, ISO 8601', { time_iso8601: ISO, request_method: 'POST', request_uri: '/mail/', status: 200 }, 'POST /mail/'],
    ['nginx, its own time', { time_local: TIME, request: 'GET /mail/?a HTTP/1.1', status: '200' }, 'GET /mail/?a'],
    ['Caddy', { ts: 1_747_562_400.0002, request: { method: 'PUT', uri: '/mail/', host: 'x' }, status: 200 }, 'PUT /mail/'],
    ['a target without a method', { time_local: TIME, request_uri: '/mail/' }, 'GET /mail/'],
    ['a line in quotes', { time_local: TIME, request_uri: '/mail/?"\\' }, 'GET /mail/?"\\'],
    ['text beyond ASCII', { time_local: TIME, request_uri: '/mail/?ż' }, 'GET /mail/?\xc5\xbc'],
    ['a key that contains dots', { time_local: TIME, 'request.uri': '/mail/', request: { uri: '/poczta/' } }, 'GET /mail/'],
  ])('%s', async (_what, fields, expected) => {
    expect(await readJson(Buffer.from(JSON.stringify(fields)).toString('latin1'))).toEqual(found(expected));
  });

  test.each<[string, string, string]>([
    ['escaped characters', `{"time_local":"${TIME}","request_uri":"/mail/?\\u017c\\u0022"}`, '/mail/?\xc5\xbc"'],
    ['a byte order mark', `\xef\xbb\xbf{"time_local":"${TIME}","request_uri":"/mail/?\xc5\xbc\\""}`, '/mail/?\xc5\xbc"'],
    ['bytes that are not UTF-8', `{"time_local":"${TIME}","request_uri":"/mail/?\xff\xc5"}`, '/mail/?\xff\xc5'],
  ])('%s', async (_what, line, target) => {
    expect(await readJson(`${line}\r\n`)).toEqual(found(`GET ${target}`));
  });

  test('other keys, and paths', async () => {
    const line = JSON.stringify({ when: SECOND, http: { verb: 'HEAD', 'url.path': '/mail/', code: 404 } });
    const keys = { time: 'when', method: 'http.verb', target: 'http.url.path' };
    expect(await readJson(line, { keys })).toEqual(found('HEAD /mail/'));
    expect(await readJson(line, { keys: { ...keys, status: 'http.code' } })).toEqual(UNHANDLED);
  });

  test.each<[string, object]>([
    ['without a time', { request_uri: '/mail/' }],
    ['with a time that is none', { ts: 'soon', request_uri: '/mail/' }],
    ['without a target', { time_local: TIME }],
    ['with a target that would forge a record', { time_local: TIME, request_uri: '/mail/\n[' }],
    ['with a method that is none', { time_local: TIME, request_uri: '/mail/', request_method: 'a b' }],
    ['with an object in place of a text', { time_local: TIME, request_uri: { a: 1 } }],
    ['that is an array', []],
  ])('a line %s is broken', async (_what, fields) => {
    expect(await readJson(JSON.stringify(fields))).toEqual(BROKEN);
  });

  test.each(['{', 'null', '1', `127.0.0.1 - - [${TIME}] "GET /mail/ HTTP/1.1" 200 1`])('%s is broken', async (line) => {
    expect(await readJson(line)).toEqual(BROKEN);
  });

  test('the same lines are passed over as in other formats', async () => {
    const at = (target: string, status: number): string => JSON.stringify({ time_local: TIME, request_uri: target, status });
    const log = [at('/mail/x.css', 200), at('/mail/', 404), at('/poczta/', 200), at('/mail/', 302)].join('\n');
    expect(await readJson(log, { prefixes: ['mail'] })).toMatchObject({ unhandled: 3, broken: 0 });
    expect((await readJson(log, { everyLine: true })).requests).toHaveLength(4);
  });
});

test('a request names the file that is given; what is passed over need not be counted', async () => {
  const log = `broken\n${line('GET /x.css HTTP/1.1')}\n${line('GET /mail/ HTTP/1.1')}\n`;
  const { items } = await outcomeOf(readAccessLog(chunksOf(log), { source: 'access.log.1' }));
  expect(items).toMatchObject([{ line: 3, source: 'access.log.1' }]);
});
