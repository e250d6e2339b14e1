import { describe, expect, test } from '@jest/globals';
import { makeFolder, runShell } from '../support/run.js';

const TELL_MEMORY =
  "process.on('exit', () => require('fs').writeFileSync('memory', process.resourceUsage().maxRSS / 1024 + '\\n'));";

/** Inputs as streams: shell functions, so that nothing of that size is ever kept. */
const GENERATORS = `
  gigabyte() { head -c 1000000000 /dev/zero | tr '\\0' x; }
  endless() { yes | tr -d '\\n'; }
  node_() { "${process.execPath}" -e "const out = (text) => process.stdout.write(text); $1"; }
  blanks() { node_ 'out("1747562400,/" + " ".repeat(1e6) + "x\\n")'; }
  columns() { node_ 'for (let n = 0; n < 20; n += 1) out(",".repeat(1e6) + "\\n")'; }
  quotes() { node_ 'for (let n = 0; n < 10; n += 1) out("\\"\\",".repeat(3.4e5) + "\\n")'; }
  unclosed() { printf '1747562400,"/a\\n'; yes 1747562400,/mail/ | head -n 100000; }
  megabytes() { node_ 'for (let n = 0; n < 100; n += 1) out("1747562400,/" + "x".repeat(1048000 - n) + "\\n")'; }
  padded() { node_ 'for (let n = 0; n < 600; n += 1) out(JSON.stringify({ target: "/" + n, pad: "x".repeat(1e6) }) + "\\n")'; }
  targets() { node_ 'for (let n = 0; n < 70; n += 1) out("/" + "x".repeat(1048000 - n) + ",1\\n")'; }
  many_targets() { seq -f '/mail/?n=%.0f,1' 1000001; }
  failures() { node_ 'for (let n = 0; n < 300; n += 1) out("[18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /var/www/roundcube/plugins/carddav/carddav.php in /var/www/roundcube/program/lib/Roundcube/rcube_plugin_api.php on line 193 (GET /" + "x".repeat(1048000 - n) + ")\\n")'; }
`;

const TOO_LONG = 'the line is longer than 1 MiB; shorten it';
const TOO_MANY_TARGETS = 'there are more than a million targets, or 64 MiB of them; list fewer';
const NOT_HANDLED = '0 lines passed over that the webmail did not handle, 1 broken line; ';
const TOO_MANY_CELLS = 'the row has 1000001 cells instead of 2 or 3; give ';

/** What must be enough memory for anything, in MB. Node alone takes some 45. */
const ENOUGH_MB = 300;

describe('an input of any size, and an outage of a pipeline, take bounded memory, and the message names the line or the file', () => {
  test.each<[string, number, string, number?]>([
    ['gigabyte | webmail-diaglog replay', 1, `<stdin>:1: ${TOO_LONG} (0 groups written, stopped at line 1)`],
    ['endless | webmail-diaglog replay', 1, `<stdin>:1: ${TOO_LONG} (0 groups written, stopped at line 1)`],
    ['(gigabyte; echo) | webmail-diaglog replay --on-bad-row skip', 0, `<stdin>:1: ${TOO_LONG}`],
    ['gigabyte | webmail-diaglog replay --from access-log', 1, `<stdin>: ${NOT_HANDLED}`],
    ['gigabyte | webmail-diaglog synth --targets -', 1, `<stdin>:1: ${TOO_LONG}`],
    ['gigabyte | webmail-diaglog parse', 1, '<stdin>: 1 foreign line passed over (at line 1); no line is a record'],
    ['gigabyte | webmail-diaglog stats', 1, '<stdin>: 1 foreign line passed over (at line 1); no line is a record'],
    ['gigabyte | webmail-diaglog check', 1, '<stdin>: no line is a record'],
    ['webmail-diaglog replay --deployment <(gigabyte) < /dev/null', 2, '/dev/fd/63: the deployment file is not JSON: '],
    ['blanks | webmail-diaglog replay', 1, '<stdin>:1: request_target "/     '],
    ['columns | webmail-diaglog replay --on-bad-row skip', 0, `<stdin>:1: ${TOO_MANY_CELLS}`],
    ['quotes | webmail-diaglog replay --on-bad-row skip', 0, '<stdin>:1: the row has 340001 cells instead of '],
    ['unclosed | webmail-diaglog replay --on-bad-row skip', 0, '<stdin>:1: a quote is not closed on its line, '],
    ['megabytes | webmail-diaglog replay', 0, ''],
    ['megabytes > m.csv; webmail-diaglog replay --loop 2 m.csv', 0, ''],
    ['failures | webmail-diaglog check', 1, ''],
    ['failures | webmail-diaglog parse', 0, ''],
    ['failures | webmail-diaglog stats', 0, ''],
    [
      ': > got.log; webmail-diaglog canary app.log got.log --rate 5k --duration 6s --late 5s --max 1',
      1,
      'got.log: nothing has come since the start',
    ],
    [
      'webmail-diaglog synth --count 90 > sent.log; padded | webmail-diaglog compare --fields request_target=target --max 0 sent.log',
      1,
      '',
    ],
    ['targets | webmail-diaglog synth --targets -', 1, `<stdin>:65: ${TOO_MANY_TARGETS}`, 600],
    ['many_targets | webmail-diaglog synth --targets -', 1, `<stdin>:1000001: ${TOO_MANY_TARGETS}`, 900],
  ])(
    '%s',
    async (command, exit, message, enoughMb = ENOUGH_MB) => {
      const cwd = makeFolder({ 'tell.cjs': TELL_MEMORY });
      const script = `${GENERATORS}
      webmail-diaglog() { NODE_OPTIONS="--require ./tell.cjs" "\${program[@]}" "$@"; }
      ${command} > out; echo "\${PIPESTATUS[@]}" > exits; cat memory exits`;
      const { stdout, stderr } = await runShell(script, { cwd });
      const [memory = '', exits = ''] = stdout.split('\n');
      expect(exits.split(' ').pop()).toBe(String(exit));
      expect(stderr.startsWith(message === '' ? '' : `webmail-diaglog: ${message}`)).toBe(true);
      expect(stderr === '').toBe(message === '');
      expect(Number(memory)).toBeLessThan(enoughMb);
      console.log(`${Number(memory).toFixed(0)} MB: ${command}`);
    },
    120_000,
  );
});
