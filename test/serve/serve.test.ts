import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkLog } from '../../src/check/check-log.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { pathOf } from '../../src/requests/target.js';
import { MAX_WAITING } from '../../src/http/answering-writer.js';
import { formatGroupPage, PAGE_HEADERS } from '../../src/serve/page.js';
import { handledPathsOf, serve, type ServeOptions } from '../../src/serve/serve.js';
import { deployment, request as logRequest } from '../support/arbitraries.js';
import { chunksOf, collect } from '../support/bytes.js';
import { HeldOutput, holdOutput } from '../support/held-output.js';
import { formatRequest, statusesOf } from '../support/http.js';
import { groupAt } from '../support/records.js';
import { startService, type RunningService } from '../support/service.js';
import { until } from '../support/until.js';

const NOW = 1_747_562_400_500;
const SPECIFIED = createDeployment();

const groupFor = (target: string, millisecond = NOW): string => groupAt(Math.floor(millisecond / 1000), target);

interface Service extends RunningService {
  readonly output: HeldOutput;
  readonly warnings: readonly string[];
  readonly get: (target: string) => Promise<string>;
}

async function start(
  output = new HeldOutput(),
  { lastSecond, ...given }: Partial<ServeOptions> & { lastSecond?: number } = {},
): Promise<Service> {
  const warnings: string[] = [];
  output.lastSecond = lastSecond;
  const options = {
    ...{ host: '127.0.0.1', port: 0, prefixes: ['mail', 'poczta'], deployment: SPECIFIED },
    now: () => NOW,
    warn: (message: string) => warnings.push(message),
    ...given,
  };
  const service = await startService((onListening, signal) => serve({ ...options, onListening }, output, signal));
  const get = (target: string): Promise<string> => service.send(formatRequest(`GET ${target}`)).answer;
  return { ...service, output, warnings, get };
}

describe('4 a request that is handled', () => {
  test.each([
    '/mail/',
    '/poczta/index.php?_task=login',
    '/mail/public_html/index.php',
    '/mail/?a=%zz%&b=%C5%BC%0a',
    '/mail/?"\'\\^`{|}<script>[]()',
    '/mail/#fragment',
    'http://host/mail/?x',
    `/mail/?${'x'.repeat(20_000)}`,
  ])('is logged as it was received, and answered with its group: %s', async (target) => {
    const { get, output, stop } = await start();
    const answer = await get(target);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const [headers = '', page = ''] = answer.split('\r\n\r\n');
    const sent = Object.entries({ ...PAGE_HEADERS, 'Content-Length': String(page.length) });
    expect(headers.split('\r\n')).toEqual(expect.arrayContaining(sent.map(([name, value]) => `${name}: ${value}`)));
    expect(output.writes).toEqual([groupFor(target)]);
    const escaped = target.replace('&', '&amp;').replace('<script>', '&lt;script&gt;');
    expect(page).toContain(`(GET ${escaped})\n[`);
    await stop();
  });

  test('6 is in the log before it is answered', async () => {
    const { output, letGo } = holdOutput();
    const { send, get } = await start(output);
    const { socket, answer } = send(formatRequest('GET /mail/'));
    // Another connection's answer has come; this one's has not.
    await get('/other');
    expect(socket.bytesRead).toBe(0);
    letGo();
    expect(statusesOf(await answer)).toEqual([200]);
  });

  test('may come with a body, and before the answer to the one before it', async () => {
    const { send, output } = await start();
    const requests = [formatRequest('GET /mail/?1', 'Content-Length: 4\r\n'), 'body', formatRequest('GET /mail/?2')];
    expect(statusesOf(await send(requests.join('')).answer)).toEqual([200, 200]);
    expect(output.writes.join('')).toBe(groupFor('/mail/?1') + groupFor('/mail/?2'));
  });

  test('may offer an upgrade, as curl --http2 does', async () => {
    const { send, output } = await start();
    const { socket, answer } = send(formatRequest('GET /mail/', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'));
    socket.end();
    expect(statusesOf(await answer)).toEqual([200]);
    expect(output.writes).toEqual([groupFor('/mail/')]);
  });
});

describe('what node:http does not take for a request is answered when the requests before it have been', () => {
  const GET = formatRequest('GET /mail/', '');

  test.each<[string, string, number[]]>([
    ['garbage', `${GET}\x00\x01garbage\r\n\r\n`, [200, 400]],
    ['garbage after two', `${GET}${GET}!!@\x00\r\n`, [200, 200, 400]],
    ['a request without a host', `${GET}GET /mail/ HTTP/1.1\r\n\r\n`, [200, 400]],
    ['CONNECT', `${GET}${formatRequest('CONNECT h:1', '')}`, [200, 405]],
    ['CONNECT, and then a request', `${GET}${formatRequest('CONNECT h:1', '')}${GET}`, [200, 405]],
    ['a broken body', `${formatRequest('GET /mail/', 'Transfer-Encoding: chunked\r\n')}z\r\n`, [200, 400]],
    ['more than was to come', `${formatRequest('GET /mail/')}${GET}`, [200]],
  ])('%s', async (_what, bytes, statuses) => {
    const { send, output } = await start();
    expect(statusesOf(await send(bytes).answer)).toEqual(statuses);
    expect(output.written).toBe(statuses.filter((status) => status === 200).length);
  });
});

describe('what is refused, and not logged', () => {
  test.each<[status: number, requests: readonly string[]]>([
    [404, ['GET /mail', 'GET http:///mail/', 'POST /other', 'OPTIONS *']],
    [405, ['HEAD /mail/', 'POST /mail/', 'PROPFIND /poczta/index.php?x', 'OPTIONS /mail/', 'CONNECT /mail/', 'CONNECT host:443']],
    [
      400,
      ['get /mail/', 'GET mail/', ...[' b', '\x00', '\t', '\x7f', '\xc5\xbc', '\xff'].map((bytes) => `GET /mail/?a${bytes}`)],
    ],
    [431, [`GET /mail/?${'x'.repeat(40_000)}`]],
    [505, ['GET /mail/ HTTP/2.0\r\nHost: x\r\n\r\n', 'GET /mail/ HTTP/0.9\r\n\r\n', 'GET /mail/\r\n\r\n']],
  ])('with %i', async (status, requests) => {
    const { send, output } = await start();
    for (const request of requests) {
      const answer = await send(request.endsWith('\r\n') ? request : formatRequest(request)).answer;
      expect([request, statusesOf(answer)]).toEqual([request, [status]]);
      expect(answer.includes('\r\nAllow: GET\r\n')).toBe(status === 405);
      if (request.startsWith('HEAD')) expect(answer).toMatch(/\r\n\r\n$/);
    }
    expect(output.writes).toEqual([]);
  });

  test('whatever bytes come as a target, the log is whole groups and nothing else, one for each answer of 200', async () => {
    const piece = fc.constantFrom(...'\r\n|\n|\r|\x1b[2J|\0| |\t|\x7f|\x85|\xff|%0a|)|\\n| HTTP/1.1\r\n|x'.split('|'));
    const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
    const targets = fc.array(fc.oneof(piece, byte), { maxLength: 6 });
    const { get, output } = await start();
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(targets, async (pieces) => {
        const statuses = statusesOf(await get(`/mail/?${pieces.join('')}`));
        for (const status of statuses) expect([200, 400, 404, 405, 505]).toContain(status);
        answered += statuses.filter((status) => status === 200).length;
      }),
      { numRuns: 40 },
    );
    const log = output.writes.join('');
    expect((await collect(checkLog(chunksOf(log), SPECIFIED))).flat()).toEqual([]);
    expect(log.match(/\n/g) ?? []).toHaveLength(8 * output.written);
    // What is no HTTP behind a request closes the connection: that request may be left without its answer.
    expect(output.written).toBeGreaterThanOrEqual(answered);
    expect(answered).toBeGreaterThan(0);
    expect(log).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('6.4 timestamps never step back', () => {
  test('while the clock does', async () => {
    const times = [NOW, NOW - 3_600_000, NOW + 1000, NOW - 1000];
    const { get, output } = await start(new HeldOutput(), { now: () => times.shift() ?? NOW + 2000 });
    for (const target of ['/mail/?1', '/mail/?2', '/mail/?3', '/mail/?4', '/mail/?5']) await get(target);
    const expected = [NOW, NOW, NOW + 1000, NOW + 1000, NOW + 2000];
    expect(output.writes).toEqual(expected.map((time, index) => groupFor(`/mail/?${String(index + 1)}`, time)));
  });

  test.each([
    [Math.floor(NOW / 1000), NOW, []],
    [
      Math.ceil(NOW / 1000) + 60,
      (Math.ceil(NOW / 1000) + 60) * 1000,
      ['the log ends at 18-May-2025 12:01:01 +0200, which is yet to come; groups carry that time until the clock has reached it'],
    ],
  ])('behind a log that ends at %i, which is said if it is later than now', async (lastSecond, millisecond, said) => {
    const { get, output, warnings } = await start(new HeldOutput(), { lastSecond });
    await get('/mail/');
    expect(output.writes).toEqual([groupFor('/mail/', millisecond)]);
    expect(warnings).toEqual(said);
  });
});

test('the reader of the log stalls: so many requests wait, more are answered with 503, and none that waits is lost', async () => {
  const { output, letGo } = holdOutput();
  const [connectionCount, requestsEach] = [70, 64];
  let come = 0;
  // The clock is asked once for each request.
  const now = (): number => {
    come += 1;
    return NOW;
  };
  const { send } = await start(output, { now });
  const some = formatRequest('GET /mail/', '').repeat(requestsEach - 1) + formatRequest('GET /mail/');
  const connections = Array.from({ length: connectionCount }, () => send(some));
  await until(() => come === connectionCount * requestsEach);
  letGo();
  const statuses = (await Promise.all(connections.map(({ answer }) => answer))).flatMap(statusesOf);
  expect(statuses).toHaveLength(connectionCount * requestsEach);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(statuses.filter((status) => status === 200)).toHaveLength(output.written);
  expect(output.written).toBeGreaterThanOrEqual(MAX_WAITING);
});

test('its end: requests in hand are answered, others are not waited for: an idle connection, a slow one, one that has said nothing', async () => {
  const { output, letGo } = holdOutput();
  const { send, get, stop } = await start(output);
  const idle = send(formatRequest('GET /other', ''));
  await once(idle.socket, 'data');
  const silent = send('');
  const slow = send('GET /mail/?slow HTTP/1.1\r\nHost: x\r\nX-');
  const inHand = send(formatRequest('GET /mail/', ''));
  // What was sent on connections before this one has been read when this one is answered.
  await get('/other');
  const stopped = stop();
  letGo();
  await stopped;
  expect((await inHand.answer).split('\r\n')).toEqual(expect.arrayContaining(['HTTP/1.1 200 OK', 'Connection: close']));
  expect(statusesOf(await idle.answer)).toEqual([404]);
  expect(await Promise.all([slow.answer, silent.answer])).toEqual(['', '']);
  expect(await get('/mail/')).toBe('');
  expect(output.writes).toEqual([groupFor('/mail/')]);
});

test.each<[isHandled: boolean, prefix: string, targets: string]>([
  [true, '/mail', '/ /index.php /?C=N%3BO%3DD /?a=%zz% /index.php?/../x /? /#f /#?'],
  [true, '/poczta', '/ /public_html/index.php /?_task=login'],
  [true, '/apps/webmail', '/'],
  [true, '', 'http://host/mail/?x HTTP://host/mail/ https://u:p@[::1]:80/mail/index.php'],
  [false, '/mail', '/index.html /public_html/ /mail/ /index.php/'],
  [false, '', ' / /mail /Mail/ /webmail/ //mail/ /x/../mail/ /%6dail/ /?/mail/ * mail/'],
  [false, '', 'http://mail/ http://host http://host?/mail/ http:///mail/ ftp://host/mail/'],
])('4 paths that are handled: %s: %s, with %s', (isHandled, prefix, targets) => {
  const handled = handledPathsOf(['mail', 'poczta', 'apps/webmail']);
  const results = targets.split(' ').map((target) => [target, handled.includes(pathOf(prefix + target))]);
  expect(results).toEqual(results.map(([target]) => [target, isHandled]));
});

test('formatGroupPage shows the bytes of any group, and lets none of them be markup', () => {
  fc.assert(
    fc.property(logRequest, deployment, fc.constantFrom('', '</pre><script>alert(1)</script>&lt;'), (logged, site, markup) => {
      const group = formatGroup({ ...logged, target: logged.target + markup }, site);
      const [, shown = ''] = /<pre>([^]*)<\/pre>/.exec(formatGroupPage(Buffer.from(group, 'latin1'))) ?? [];
      expect(shown).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
      expect(shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(group);
    }),
  );
});

test('the page names no other resource, and its policy allows its own style, by its hash, and nothing else', () => {
  const page = formatGroupPage(Buffer.from(''));
  expect(page).not.toMatch(/src=|href=|url\(|@import/);
  const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(PAGE_HEADERS).toEqual({
    ...{ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  });
});
