import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createReadStream, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readAccessLog, type SkipReason } from '../../src/requests/access-log/read-access-log.js';
import { synthesize } from '../../src/requests/synth/synthesize.js';
import { collect } from '../support/bytes.js';
import { freePort, sendRaw } from '../support/http.js';
import { describeWith } from '../support/programs.js';
import { makeFolder } from '../support/run.js';
import { sizeOf, until } from '../support/until.js';

/** A web server on IPv4 and IPv6 that logs in the Combined format to `access.log`, and answers 404 below /missing/, else 200. */
interface WebServer {
  readonly program: string;
  readonly args: readonly string[];
  /** @param http2 a second port, for HTTP/2 without TLS, if it speaks that */
  readonly configure: (folder: string, port: number, http2: number) => string;
  readonly http2: readonly string[];
  /** False if requests that follow each other may change places in its log. */
  readonly isInOrder: boolean;
}

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
const MODULES = ['mpm_event', 'authz_core', 'alias'];

const SERVERS: readonly WebServer[] = [
  {
    program: 'nginx',
    args: ['-e', 'stderr', '-c'],
    configure: (folder, port, http2) => `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
http { access_log ${folder}/access.log combined;
${TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')}
server { listen 127.0.0.1:${String(port)}; listen [::1]:${String(port)}; listen 127.0.0.1:${String(http2)} http2;
location / { return 200 ok; } location /missing/ { return 404; } } }`,
    http2: ['/mail/', '/poczta/?_task=login', '/mail/?q="\\'],
    isInOrder: true,
  },
  {
    program: 'apache2',
    args: ['-DFOREGROUND', '-f'],
    configure: (folder, port) => `
ServerRoot ${folder}
ServerName localhost
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${String(port)}
Listen [::1]:${String(port)}
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`).join('')}
LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
CustomLog ${folder}/access.log combined
AliasMatch "^/missing/" "${folder}/none"
AliasMatch "^" "${folder}/page"
`,
    http2: [],
    isInOrder: false,
  },
];

const HEADERS =
  'Host: localhost\r\nConnection: close\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nReferer: https://example.org/\r\n\r\n';

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

async function read(path: string, everyLine: boolean): Promise<{ requests: string[]; unhandled: number; broken: number }> {
  const counts: Record<SkipReason, number> = { unhandled: 0, broken: 0 };
  const options = { timezone: 'UTC', everyLine, onSkipped: (why: SkipReason) => (counts[why] += 1) };
  const batches = await collect(readAccessLog(createReadStream(path), options));
  return { requests: batches.flat().map(({ method, target }) => `${method} ${target}`), ...counts };
}

describe.each(SERVERS)('$program', ({ program, args, configure, http2, isInOrder }) => {
  describeWith([program], 'its access log', () => {
    test('holds exactly the requests that were sent', async () => {
      const folder = makeFolder({ page: 'ok' });
      chmodSync(folder, 0o755);
      const [port, http2Port, log] = [await freePort(), await freePort(), join(folder, 'access.log')];
      writeFileSync(join(folder, 'config'), configure(folder, port, http2Port));
      const child = spawn(program, [...args, join(folder, 'config')], { stdio: ['ignore', 'ignore', 'inherit'] });
      const ended = once(child, 'exit');
      const usual = Array.from(synthesize({ seed: 5, count: 1000 }))
        .flat()
        .map(({ method, target }) => `${method} ${target}`);
      const requests = [...usual, ...ODD];
      const lines = requests.map((request, index) => `${request} HTTP/1.${index % 7 === 0 ? '0' : '1'}`);
      try {
        await until(() => sizeOf(join(folder, 'pid')) > 0);
        for (const [index, line] of [...lines, ...HOPELESS].entries()) {
          const host = index % 2 === 0 ? '127.0.0.1' : '[::1]';
          await sendRaw(`http://${host}:${String(port)}/`, `${line}\r\n${HEADERS}`).answer;
          if (index === lines.length - 1 && http2.length > 0) await sendHttp2(http2Port, http2);
        }
      } finally {
        child.kill('SIGTERM');
        await ended;
      }
      const all = await read(log, true);
      const expected = [...requests, ...http2.map((target) => `GET ${target}`)];
      if (isInOrder) expect(all.requests.slice(0, expected.length)).toEqual(expected);
      else expect(all.requests.toSorted()).toEqual(expected.toSorted());
      expect(all.broken).toBeGreaterThanOrEqual(3);
      const handled = await read(log, false);
      expect(handled.requests).not.toContain('GET /missing/');
      expect(handled.requests).not.toContain('GET /skins/elastic/styles.css');
      if (isInOrder) expect(handled.requests).toContain('GET /mail/?q=\xc5\xbc\xff');
    });
  });
});
