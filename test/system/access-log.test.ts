import { createReadStream } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { LogRequest } from '../../src/log/group.js';
import { zoneNamed } from '../../src/log/zone.js';
import { readAccessLog, type SkipReason } from '../../src/requests/access-log/read-access-log.js';
import { drawRequests } from '../../src/requests/synth/synthesize.js';
import { trafficFrom } from '../../src/requests/synth/traffic.js';
import { OBSERVED_TARGETS } from '../../src/requests/synth/weighted-targets.js';
import { describeWith } from '../support/programs.js';
import { sendAll, sendHttp2, startApache, startNginx, type RawRequest } from '../support/web-servers.js';

/** What clients send beside the usual: quotes, backslashes, raw bytes, other methods and forms. */
const ODD = [
  'GET /mail/?q="quoted"',
  'GET /mail/?q=back\\slash',
  'GET /mail/?q=\\x22',
  'GET /mail/?q=\xc5\xbc\xff',
  'GET /mail/?q=<b>)]',
  'GET http://localhost/mail/?x',
  'HEAD /webmail/index.php',
  'OPTIONS /mail/',
  'GET /mail/#fragment',
  'GET /skins/elastic/styles.css',
  'GET /missing/',
];

/** What a server refuses, or what is no request at all. */
const HOPELESS = ['GET /a b HTTP/1.1', 'GET /a\x1b HTTP/1.1', '\x16\x03\x01\x02', 'nonsense'];

function plan(count: number): RawRequest[] {
  const targets = OBSERVED_TARGETS;
  const options = {
    seed: 5,
    arrivals: 'poisson' as const,
    traffic: trafficFrom('flat', 0, zoneNamed('UTC')),
    count,
    step: 1,
    before: count,
    targets,
    slice: { first: 0, end: count },
  };
  const usual = [...drawRequests(options)].flat().map(({ method, target }: LogRequest) => `${method} ${target}`);
  return [...usual, ...ODD].map((request, index) => ({
    requestLine: `${request} HTTP/1.${index % 7 === 0 ? '0' : '1'}`,
    host: index % 2 === 0 ? '127.0.0.1' : '::1',
  }));
}

async function read(path: string, everyLine: boolean): Promise<{ requests: string[]; unhandled: number; broken: number }> {
  const counts: Record<SkipReason, number> = { unhandled: 0, broken: 0 };
  const requests: string[] = [];
  const options = { timezone: 'UTC', everyLine, onSkipped: (why: SkipReason) => (counts[why] += 1) };
  for await (const batch of readAccessLog(createReadStream(path), options)) {
    requests.push(...batch.map(({ method, target }) => `${method} ${target}`));
  }
  return { requests, ...counts };
}

const SENT = plan(1000);
const REQUESTS = SENT.map(({ requestLine }) => requestLine.replace(/ HTTP\/1\..$/, ''));
const HTTP2 = ['/mail/', '/poczta/?_task=login', '/mail/?q="\\'];

describeWith(['nginx'], 'the access log of nginx', () => {
  test('holds exactly the requests that were sent', async () => {
    const server = await startNginx();
    try {
      await sendAll(server.port, SENT);
      await sendHttp2(server.http2Port ?? 0, HTTP2);
      for (const requestLine of HOPELESS) await sendAll(server.port, [{ requestLine, host: '127.0.0.1' }]);
    } finally {
      await server.stop();
    }
    const all = await read(server.accessLog, true);
    expect(all.requests.slice(0, SENT.length)).toEqual(REQUESTS);
    expect(all.requests.slice(SENT.length, SENT.length + HTTP2.length)).toEqual(HTTP2.map((target) => `GET ${target}`));
    expect(all.broken).toBeGreaterThanOrEqual(3);
    const handled = await read(server.accessLog, false);
    expect(handled.requests).not.toContain('GET /missing/');
    expect(handled.requests).not.toContain('GET /skins/elastic/styles.css');
    expect(handled.requests).toContain('GET /mail/?q=\xc5\xbc\xff');
  });
});

describeWith(['apache2'], 'the access log of Apache', () => {
  test('holds exactly the requests that were sent', async () => {
    const server = await startApache();
    try {
      await sendAll(server.port, SENT);
      for (const requestLine of HOPELESS) await sendAll(server.port, [{ requestLine, host: '127.0.0.1' }]);
    } finally {
      await server.stop();
    }
    const all = await read(server.accessLog, true);
    // It logs when the answer is sent: requests of two connections may change places.
    expect(all.requests.toSorted()).toEqual(REQUESTS.toSorted());
    expect(all.broken).toBeGreaterThanOrEqual(3);
    const handled = await read(server.accessLog, false);
    expect(handled.requests).not.toContain('GET /missing/');
    expect(handled.requests).not.toContain('GET /skins/elastic/styles.css');
  });
});
