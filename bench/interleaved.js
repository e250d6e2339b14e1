/** Makes a log of concurrent requests: the capture of 16 clients, repeated, each repetition behind the one before in time. */
import { createWriteStream, readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';

const CAPTURE = new URL('../fixtures/captured/concurrent-16.log.gz', import.meta.url);
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIMESTAMP = /^(\d\d)-(\w{3})-(\d{4}) (\d\d):(\d\d):(\d\d)$/;
const TIMESTAMP_AT = '['.length;
const TIMESTAMP_END = '[DD-Mon-YYYY HH:MM:SS'.length;

/**
 * Writes the log, of `groups` groups or a few more.
 *
 * @returns its number of groups
 */
export async function writeInterleaved(path, groups) {
  const lines = gunzipSync(readFileSync(CAPTURE)).toString('latin1').trimEnd().split('\n');
  const groupsEach = lines.filter((line) => line.includes('session_set_save_handler')).length;
  const seconds = lines.map((line) => parseTimestamp(line.slice(TIMESTAMP_AT, TIMESTAMP_END)));
  const known = seconds.filter((second) => !Number.isNaN(second));
  const span = Math.max(...known) - Math.min(...known) + 1;
  const repetitions = Math.ceil(groups / groupsEach);
  const stream = createWriteStream(path, 'latin1');
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const stamps = new Map(known.map((second) => [second, `[${formatTimestamp(second + repetition * span)}`]));
    const text = lines.map((line, index) => {
      const stamp = stamps.get(seconds[index]);
      return stamp === undefined ? `${line}\n` : `${stamp}${line.slice(TIMESTAMP_END)}\n`;
    });
    if (!stream.write(text.join(''))) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
  return repetitions * groupsEach;
}

/** The clock reading of a timestamp as if it were UTC, in seconds; NaN for other text (a stack trace). */
function parseTimestamp(text) {
  const [, day, month, year, hour, minute, second] = TIMESTAMP.exec(text) ?? [];
  return Date.UTC(year, MONTHS.indexOf(month), day, hour, minute, second) / 1000;
}

function formatTimestamp(second) {
  const time = new Date(second * 1000);
  const [day, year, clock] = [time.toISOString().slice(8, 10), time.getUTCFullYear(), time.toISOString().slice(11, 19)];
  return `${day}-${MONTHS[time.getUTCMonth()]}-${year} ${clock}`;
}
