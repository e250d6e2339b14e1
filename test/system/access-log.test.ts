import { chmodSync, createReadStream, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { LogRequest } from '../../src/log/group.js';
import { zoneNamed } from '../../src/log/zone.js';
import { readAccessLog, type SkipReason } from '../../src/requests/access-log/read-access-log.js';
import { drawRequests } from '../../src/requests/synth/synthesize.js';
import { trafficFrom } from '../../src/requests/synth/traffic.js';
import { OBSERVED_TARGETS } from '../../src/requests/synth/weighted-targets.js';
import { describeWith } from '../support/programs.js';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../support/http.js';
import { makeFolder } from '../support/run.js';

interface WebServer {
  readonly port: number;
  /** A second port that speaks HTTP/2 without TLS; undefined if it speaks none. */
  readonly http2Port: number | undefined;
  readonly accessLog: string;
  readonly stop: () => Promise<void>;
}

async function launch(program: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => {
        resolve(true);
      });
      socket.on('error', () => {
        resolve(false);
      });
    });
    socket.destroy();
    if (isUp) return child;
    await setTimeout(50);
  }
  throw new Error(`${program} does not answer`);
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'exit');
  child.kill('SIGTERM');
  await closed;
}

/** Starts nginx with its Combined format, on IPv4 and IPv6. It answers 200, and 404 below /missing/. */
async function startNginx(): Promise<WebServer> {
  const folder = makeFolder();
  const [port, http2Port] = [await freePort(), await freePort()];
  const accessLog = join(folder, 'access.log');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')}; events {}
http { access_log ${accessLog} combined; keepalive_requests 100000; ${temporary.join(' ')}
server { listen 127.0.0.1:${String(port)}; listen [::1]:${String(port)}; listen 127.0.0.1:${String(http2Port)} http2;
location / { return 200 ok; } location /missing/ { return 404; } } }`,
  );
  const child = await launch('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], port);
  return { port, http2Port, accessLog, stop: () => end(child) };
}

/** Starts Apache with the Combined format, on IPv4 and IPv6. It answers 200, and 404 below /missing/. */
async function startApache(): Promise<WebServer> {
  const folder = makeFolder();
  chmodSync(folder, 0o755);
  const port = await freePort();
  const accessLog = join(folder, 'access.log');
  writeFileSync(join(folder, 'page'), 'ok');
  const modules = ['mpm_event', 'authz_core', 'alias'].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  writeFileSync(
    join(folder, 'httpd.conf'),
    `ServerRoot ${folder}
ServerName localhost
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
PidFile ${join(folder, 'pid')}
DefaultRuntimeDir ${folder}
ErrorLog ${join(folder, 'error.log')}
Listen 127.0.0.1:${String(port)}
Listen [::1]:${String(port)}
${modules.join('\n')}
MaxKeepAliveRequests 0
KeepAliveTimeout 60
LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
CustomLog ${accessLog} combined
AliasMatch "^/missing/" "${join(folder, 'none')}"
AliasMatch "^" "${join(folder, 'page')}"
`,
  );
  const child = await launch('apache2', ['-f', join(folder, 'httpd.conf'), '-DFOREGROUND'], port);
  return { port, http2Port: undefined, accessLog, stop: () => end(child) };
}

/** A request as it goes over the wire. */
interface RawRequest {
  /** A byte string: `GET /mail/ HTTP/1.1`. */
  readonly requestLine: string;
  readonly host: '127.0.0.1' | '::1';
}

/** Sends requests one after the other, each when the one before has been answered. */
async function sendAll(port: number, requests: readonly RawRequest[]): Promise<void> {
  const sockets = new Map<string, Socket>();
  for (const { requestLine, host } of requests) {
    let socket = sockets.get(host);
    if (socket === undefined || socket.destroyed || socket.readableEnded) {
      socket = connect(port, host);
      socket.on('error', () => undefined);
      sockets.set(host, socket);
    }
    const headers = 'Host: localhost\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nReferer: https://example.org/\r\n\r\n';
    socket.write(Buffer.from(`${requestLine}\r\n${headers}`, 'latin1'));
    // A server that refuses a request may reset the connection: an error is an answer, too.
    const answered = socket;
    await new Promise<unknown>((resolve) => answered.once('data', resolve).once('close', resolve));
    // The server closes the connection, and what is sent until then is lost.
    if (requestLine.endsWith(' HTTP/1.0')) sockets.delete(host);
  }
  for (const socket of sockets.values()) socket.destroy();
}

async function sendHttp2(port: number, targets: readonly string[]): Promise<void> {
  const session = connectHttp2(`http://127.0.0.1:${String(port)}`);
  for (const target of targets) {
    const stream = session.request({ ':path': target });
    stream.resume();
    await once(stream, 'close');
  }
  session.close();
}

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
