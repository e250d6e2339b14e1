/** Measures `receive` beside a bare server of node:http that reads the same bodies, with Debian's `wrk` as the client. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareServers } from './serve.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCUMENT =
  '{"message":"[18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /var/www/roundcube/plugins/carddav/carddav.php in /var/www/roundcube/program/lib/Roundcube/rcube_plugin_api.php on line 193 (GET /mail/?_task=login)"}';

/** Documents of one request. */
const COUNTS = [1, 100, 5000];

/**
 * Measures both.
 *
 * @param folder a folder for the output
 * @returns the lines of the tables
 */
export async function measureReceive(folder, rounds) {
  if (spawnSync('wrk', ['-v']).error) return ['wrk was not installed.'];
  const output = join(folder, 'received.ndjson');
  const script = join(folder, 'post.lua');
  const contenders = new Map([
    ['bare `node:http`, which reads the body', [join(HERE, 'http-servers.js'), 'bodies']],
    ['`receive -o`', [join(HERE, '../bin/webmail-diaglog.js'), 'receive', '--port', '0', '-o', output]],
  ]);
  const lines = [];
  for (const count of COUNTS) {
    const body = `{"create":{"_index":"webmail"}}\n${DOCUMENT}\n`.repeat(count);
    writeFileSync(script, `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/x-ndjson"\nwrk.body = [[${body}]]\n`);
    const toClient = (address) => ['-s', script, `${address}_bulk`];
    const [header = '', ...rest] = await compareServers(contenders, [16], rounds, output, toClient);
    lines.push(header.replace('16 connections', `\`_bulk\`, documents in a request: ${count}`), ...rest, '');
  }
  return lines.slice(0, -1);
}
