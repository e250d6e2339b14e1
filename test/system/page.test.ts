import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/programs.js';
import { makeFolder, runShell } from '../support/run.js';

/** Options of a browser that shows nothing, keeps its profile in the test's folder, and asks for nothing on its own. */
const OPTIONS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--enable-logging=stderr'];

/** A target and a foreign message that would run a script, load a picture and end the style sheet, if they were not escaped. */
const HOSTILE = '/</style><script>document.title="run"</script><img/src="http://127.0.0.1:9/x"/onerror="document.title=1">';

/** Opens a page. Returns what the browser prints, and its complaints about the page: of its policy, say. */
function openPage(path: string, options: readonly string[]): { readonly stdout: string; readonly complaints: readonly string[] } {
  const profile = `--user-data-dir=${join(path, '../profile')}`;
  const { status, stdout, stderr } = spawnSync('chromium', [...OPTIONS, profile, ...options, pathToFileURL(path).href], {
    encoding: 'utf8',
    timeout: 50_000,
    maxBuffer: 1 << 26,
  });
  expect(status).toBe(0);
  return { stdout, complaints: stderr.split('\n').filter((line) => line.includes(':CONSOLE')) };
}

/** The colour of the first pixel of a PNG: filters leave the first pixel as it is. */
function firstPixelOf(png: Buffer): string {
  const chunks: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') chunks.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return inflateSync(Buffer.concat(chunks)).toString('hex', 1, 4);
}

describeWith(['chromium'], 'the page of stats --html in Chromium', () => {
  const makePage = async (): Promise<string> => {
    const rows = `2025-05-18T12:00:00,/mail/\n2025-05-18T13:00:00,"${HOSTILE.replaceAll('"', '""')}"\n`;
    const cwd = makeFolder({ 'requests.csv': rows });
    const { stderr } = await runShell(
      `webmail-diaglog replay requests.csv > x.log; echo '${HOSTILE}' >> x.log; webmail-diaglog stats --html page.html x.log > /dev/null`,
      { cwd },
    );
    expect(stderr).toBe('');
    return join(cwd, 'page.html');
  };

  test('it is read as it was meant: nothing in it runs, and its policy refuses nothing of it', async () => {
    const page = await makePage();
    const { stdout, complaints } = openPage(page, ['--dump-dom']);
    expect(complaints).toEqual([]);
    expect(stdout).toContain('<title>x.log - webmail-diaglog stats</title>');
    expect(stdout).not.toMatch(/<(?:script|img)/);
    expect(stdout).toContain('&lt;/style&gt;&lt;script&gt;document.title="run"&lt;/script&gt;');
    const tags = (html: string): readonly string[] => html.match(/<[a-z][a-z0-9]*/g) ?? [];
    // The DOM is what the page says: the browser had nothing to mend.
    const text = readFileSync(page, 'utf8');
    expect(tags(stdout)).toEqual(tags(text));
    // Of what the policy forbids it would complain.
    const forbidden = '<script>document.title = "run";</script><p style="color: red">x</p></main>';
    writeFileSync(page, text.replace('</main>', forbidden));
    const changed = openPage(page, ['--dump-dom']);
    expect(changed.complaints).toHaveLength(2);
    expect(changed.stdout).not.toContain('<title>run');
  });

  test.each([
    ['light', 1, 'ffffff'],
    ['dark', 0, '11161c'],
  ])('it is %s where the system is', async (_scheme, preferred, colour) => {
    const page = await makePage();
    const png = join(page, '../page.png');
    const { complaints } = openPage(page, [`--blink-settings=preferredColorScheme=${String(preferred)}`, `--screenshot=${png}`]);
    expect(complaints).toEqual([]);
    expect(firstPixelOf(readFileSync(png))).toBe(colour);
  });
});
