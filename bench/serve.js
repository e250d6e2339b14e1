/** Measures `serve` beside bare servers of node:http, with Debian's `wrk` as the client. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './median.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SECONDS = 3;
const CONNECTIONS = [16, 128];

/** Starts a server. @returns its process, and the address that it prints */
async function start(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const address = await new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk) => {
      said += chunk;
      const found = /http:\S+/.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('close', () => reject(new Error(said)));
  });
  return { child, address };
}

/** Measures the requests a second and the peak memory of a server. @param toClient gives the last arguments of wrk for an address */
async function measure(args, connections, seconds, toClient) {
  const { child, address } = await start(args);
  const client = spawn('wrk', ['-t1', `-c${connections}`, `-d${seconds}`, ...toClient(address)]);
  let report = '';
  client.stdout.on('data', (chunk) => (report += chunk));
  await new Promise((resolve) => client.on('close', resolve));
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
  const ended = new Promise((resolve) => child.on('close', resolve));
  child.kill();
  await ended;
  if (/Non-2xx|Socket errors/.test(report)) throw new Error(report);
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]), peakMb: peakKb / 1024 };
}

/**
 * Measures all servers.
 *
 * @param folder a folder for the logs
 * @returns the lines of the tables
 */
export async function measureServe(folder, rounds) {
  if (spawnSync('wrk', ['-v']).error) return ['wrk was not installed.'];
  const log = join(folder, 'serve.log');
  const servers = join(HERE, 'http-servers.js');
  const contenders = new Map([
    ['bare `node:http`, a page of the same size', [servers, 'bare']],
    ['the same, with the headers of `serve`', [servers, 'headers']],
    ['`serve -o`', [join(HERE, '../bin/webmail-diaglog.js'), 'serve', '--port', '0', '-o', log]],
    ['bare, and sonic-boom appends a line', [servers, 'sonic-boom', log]],
  ]);
  return compareServers(contenders, CONNECTIONS, rounds, log, (address) => [`${address}mail/`]);
}

/**
 * Measures servers in turn.
 *
 * @param contenders the arguments of each, by name; the first is what the others are compared with
 * @param log the file that they write
 * @returns the lines of a table for each number of connections
 */
export async function compareServers(contenders, connectionCounts, rounds, log, toClient) {
  const lines = [];
  for (const connections of connectionCounts) {
    const runs = new Map(Array.from(contenders.keys(), (name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, args] of contenders) {
        runs.get(name).push(await measure(args, connections, SECONDS, toClient));
        rmSync(log, { force: true });
      }
    }
    const [reference] = runs.values();
    lines.push(`| ${connections} connections | requests/s | of bare | peak memory, MB |`, '|---|---|---|---|');
    for (const [name, some] of runs) {
      const rate = median(some.map((run) => run.rate));
      const ratio = median(some.map((run, round) => run.rate / reference[round].rate));
      const peakMb = Math.max(...some.map((run) => run.peakMb));
      lines.push(`| ${name} | ${rate.toFixed(0)} | ${ratio.toFixed(2)} | ${peakMb.toFixed(0)} |`);
    }
    lines.push('');
  }
  return lines.slice(0, -1);
}
