/** Measures how fast a log goes into a TCP socket of this machine, beside `cat` of the finished log and syslog-ng's `loggen`. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { median } from './median.js';

/** Records of a group. */
const RECORDS = 8;

/** The size of a message of loggen: that of a record, roughly. */
const LOGGEN_BYTES = 230;

/**
 * Measures all.
 *
 * @param folder a folder for the log
 * @param command the command line, `synth` of a number of groups
 * @returns the lines of the table
 */
export async function measureSockets(folder, command, groups, rounds) {
  const log = join(folder, 'sockets.log');
  spawnSync('bash', ['-c', `${command} synth --count ${groups} > ${log}`], { stdio: 'inherit' });
  const hasLoggen = spawnSync('loggen', ['--version']).error === undefined;
  const contenders = new Map([
    ['`cat` of the finished log', (port) => `cat ${log} > /dev/tcp/127.0.0.1/${port}`],
    ['`synth -o tcp://…`', (port) => `${command} synth --count ${groups} -o tcp://127.0.0.1:${port}`],
    [
      '`synth -o tcp://… --framing octet`',
      (port) => `${command} synth --count ${groups} --framing octet -o tcp://127.0.0.1:${port}`,
    ],
    ...(hasLoggen
      ? [
          [
            '`loggen`',
            (port) =>
              `loggen --quiet --inet --stream --size ${LOGGEN_BYTES} --rate 1000000000 --number ${groups * RECORDS} 127.0.0.1 ${port}`,
          ],
        ]
      : []),
  ]);
  const lines = ['| into a TCP socket | messages/s | MB/s |', '|---|---|---|'];
  for (const [name, commandFor] of contenders) {
    const results = [];
    for (let round = 0; round < rounds; round += 1) results.push(await receiveFrom(commandFor));
    const seconds = median(results.map((result) => result.seconds));
    const megabytes = median(results.map((result) => result.bytes)) / 1e6;
    lines.push(`| ${name} | ${Math.round((groups * RECORDS) / seconds)} | ${Math.round(megabytes / seconds)} |`);
  }
  return lines;
}

/** Runs a command that sends to a port. @returns the time from its start to the last byte, and the bytes */
async function receiveFrom(commandFor) {
  let bytes = 0;
  const server = createServer((socket) => socket.on('data', (chunk) => (bytes += chunk.length)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const connected = once(server, 'connection');
  const start = performance.now();
  const child = spawn('bash', ['-c', commandFor(server.address().port)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [socket] = await connected;
  await once(socket, 'end');
  const seconds = (performance.now() - start) / 1000;
  if (child.exitCode === null) await once(child, 'exit');
  server.close();
  return { seconds, bytes };
}
