/**
 * Servers to compare `serve` with: `node bench/http-servers.js bare|headers|sonic-boom FILE` answers every request with a page as
 * large as that of `serve`, and prints its address. `headers` also sends the headers of `serve`; `sonic-boom` appends a line to
 * FILE for each request.
 */
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { createDeployment, formatGroup } from '../dist/index.js';
import { formatGroupPage, PAGE_HEADERS } from '../dist/serve/page.js';

const [kind, file] = process.argv.slice(2);
const group = formatGroup({ millisecond: 1_746_057_600_000, method: 'GET', target: '/mail/' }, createDeployment());
const page = formatGroupPage(Buffer.from(group)).toString();
const few = ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(page.length)];
const all = [...PAGE_HEADERS, 'Content-Length', String(page.length)];

let log = () => undefined;
if (kind === 'sonic-boom') {
  const { default: SonicBoom } = await import('sonic-boom');
  const stream = new SonicBoom({ dest: file, sync: false });
  log = (target) => stream.write(`${new Date().toISOString()} GET ${target}\n`);
}

const server = createServer((request, response) => {
  log(request.url);
  response.writeHead(200, kind === 'headers' ? all : few);
  response.end(page);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
