/** Measures `receive` beside a bare server of node:http that reads the same bodies, with Debian's `wrk` as the client. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
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
  /** Measures a request. @param body a string of Lua, or the expression of one */
  const add = async (what, path, type, body) => {
    writeFileSync(script, `wrk.method = "POST"\nwrk.headers["Content-Type"] = "${type}"\nwrk.body = ${body}\n`);
    const toClient = (address) => ['-s', script, `${address}${path}`];
    const [header = '', ...rest] = await compareServers(contenders, [16], rounds, output, toClient);
    lines.push(header.replace('16 connections', what), ...rest, '');
  };
  for (const count of COUNTS) {
    const body = `{"create":{"_index":"webmail"}}\n${DOCUMENT}\n`.repeat(count);
    await add(`\`_bulk\`, documents in a request: ${count}`, '_bulk', 'application/x-ndjson', `[[${body}]]`);
  }
  const records = Array.from({ length: OTLP_RECORDS }, () => JSON.parse(DOCUMENT).message);
  const json = JSON.stringify({
    resourceLogs: [{ scopeLogs: [{ logRecords: records.map((text) => ({ timeUnixNano: TIME, body: { stringValue: text } })) }] }],
  });
  await add(`OTLP in JSON, records in a request: ${OTLP_RECORDS}`, 'v1/logs', 'application/json', `[[${json}]]`);
  const file = join(folder, 'otlp.bin');
  writeFileSync(file, encodeOtlp(records));
  const protobuf = `io.open("${file}", "rb"):read("*a")`;
  await add(`OTLP in Protobuf, records in a request: ${OTLP_RECORDS}`, 'v1/logs', 'application/x-protobuf', protobuf);
  return lines.slice(0, -1);
}

const OTLP_RECORDS = 100;
const TIME = '1747562400000000000';

/** An `ExportLogsServiceRequest` of records with a time and a text. */
function encodeOtlp(texts) {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).fork().tag(2, WireType.LengthDelimited).fork();
  for (const text of texts) {
    writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.Bit64).fixed64(TIME);
    writer.tag(5, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(text).join().join();
  }
  return writer.join().join().finish();
}
