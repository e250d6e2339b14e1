import { refuseUse } from '../../errors.js';
import { writePieces } from '../../output/pack.js';
import { isUnusable, refuseUnusable } from '../../reading/passed-over.js';
import { countLog } from '../../stats/count-log.js';
import { formatJson } from '../../stats/log-stats.js';
import { formatReport } from '../../stats/format-report.js';
import type { Style } from '../../stats/style.js';
import { runCommand } from '../command-run.js';
import { openLogs } from '../logs.js';
import type { RunOf } from '../options/option.js';
import { STDOUT } from '../options/values.js';
import type { COMMAND } from './command.js';

const USUAL_COLUMNS = 80;
const MIN_COLUMNS = 40;

export const RUN: RunOf<typeof COMMAND> = async ({ log: files }, options) => {
  const { json, html, output: file } = options;
  if (html === STDOUT && (json === true || file !== undefined)) {
    const other = json === true ? '--json' : '--output';
    throw refuseUse('html', 'the page replaces the report on stdout', `name a file, or leave out ${other}`);
  }
  await runCommand({ ...options, noun: 'report' }, async (run) => {
    const logs = await openLogs(files, 'stats', run, options);
    const output = await run.openOutput(logs.measure);
    // The code of the page, and that of `check`, is loaded only where a page is asked for.
    const paged = html === undefined ? undefined : await (await import('./page.js')).writePage(html, logs, run, output);
    const { counts, log } = paged ?? { counts: await countLog(logs.log, run.onRead), log: logs.log };
    const formatText = (): string => (json === true ? formatJson(counts, log) : formatReport(counts, log, styleOf(file)));
    const text = html === STDOUT && paged !== undefined ? paged.page : formatText();
    await writePieces([[{ bytes: Buffer.from(text), count: 1, origin: {} }]], output, run.signal);
    return counts.failure ?? (isUnusable(counts) ? refuseUnusable(counts, log) : undefined);
  });
};

/** Chooses the width of the terminal, and plain ASCII unless the terminal shows UTF-8. */
function styleOf(file = STDOUT): Style {
  const { stdout, env } = process;
  if (file !== STDOUT || !stdout.isTTY) return { columns: USUAL_COLUMNS, isPlain: true };
  // The first variable that is set and not empty decides.
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '') ?? '';
  return {
    // A terminal that does not know its size says 0.
    columns: Math.max(MIN_COLUMNS, stdout.columns || USUAL_COLUMNS),
    isPlain: env['TERM'] === 'dumb' || !/utf-?8/i.test(locale),
  };
}
