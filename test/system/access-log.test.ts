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

const SERVERS = [
  { program: 'nginx', start: startNginx, http2: HTTP2, isInOrder: true },
  // It logs when the answer is sent: requests of two connections may change places.
  { program: 'apache2', start: startApache, http2: [], isInOrder: false },
];

for (const { program, start, http2, isInOrder } of SERVERS) {
  describeWith([program], `the access log of ${program}`, () => {
    test('holds exactly the requests that were sent', async () => {
      const server = await start();
      try {
        await sendAll(server.port, SENT);
        if (http2.length > 0) await sendHttp2(server.http2Port ?? 0, http2);
        for (const requestLine of HOPELESS) await sendAll(server.port, [{ requestLine, host: '127.0.0.1' }]);
      } finally {
        await server.stop();
      }
      const all = await read(server.accessLog, true);
      const expected = [...REQUESTS, ...http2.map((target) => `GET ${target}`)];
      if (isInOrder) expect(all.requests.slice(0, expected.length)).toEqual(expected);
      else expect(all.requests.toSorted()).toEqual(expected.toSorted());
      expect(all.broken).toBeGreaterThanOrEqual(3);
      const handled = await read(server.accessLog, false);
      expect(handled.requests).not.toContain('GET /missing/');
      expect(handled.requests).not.toContain('GET /skins/elastic/styles.css');
      if (isInOrder) expect(handled.requests).toContain('GET /mail/?q=\xc5\xbc\xff');
    });
  });
}
