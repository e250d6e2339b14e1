/**
 * Servers to compare `serve` and `receive` with. `node bench/http-servers.js bodies` reads the body of each request, and answers `{}`.
 * `node bench/http-servers.js bare|headers|sonic-boom FILE` answers every request with a page as
 * large as that of `serve`, and prints its address. `headers` also sends the headers of `serve`; `sonic-boom` appends a line to
 * FILE for each request.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

const [kind, file] = process.argv.slice(2);
const { page, headers } = kind === 'bodies' ? { page: '{}', headers: [] } : await fetchServedPage();
const few = ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(page.length)];
const all = headers.flat();

let log = () => undefined;
if (kind === 'sonic-boom') {
  const { default: SonicBoom } = await import('sonic-boom');
  const stream = new SonicBoom({ dest: file, sync: false });
  log = (target) => stream.write(`${new Date().toISOString()} GET ${target}\n`);
}

const answer = (response) => {
  response.writeHead(200, kind === 'headers' ? all : few);
  response.end(page);
};
const server = createServer((request, response) => {
  log(request.url);
  if (kind === 'bodies') request.on('data', () => undefined).on('end', () => answer(response));
  else answer(response);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));

/** The page of `serve`, and its headers without those that Node adds. */
async function fetchServedPage() {
  const serve = spawn(process.execPath, [`${import.meta.dirname}/../bin/webmail-diaglog.js`, 'serve', '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [line] = await once(serve.stderr.setEncoding('utf8'), 'data');
  const response = await globalThis.fetch(`${/http:\S+?(?=\/?\s|$)/.exec(line)[0]}/mail/`);
  const page = await response.text();
  serve.kill();
  const ofNode = new Set(['connection', 'date', 'keep-alive']);
  return { page, headers: [...response.headers].filter(([name]) => !ofNode.has(name)) };
}
