import type { UsedFile } from '../../output/log-file.js';
import { writePieces } from '../../output/pack.js';
import { renderTexts } from '../../output/piece.js';
import type { ReplacedFile } from '../../output/replaced-file.js';
import { isUnusable, refuseUnusable } from '../../reading/foreign-lines.js';
import { countLog } from '../../stats/count-log.js';
import { formatJson } from '../../stats/log-stats.js';
import { formatReport } from '../../stats/format-report.js';
import type { Style } from '../../stats/style.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { openLogs, type OpenLogs } from '../logs.js';
import { say } from '../messages.js';
import { STDOUT } from '../options/output-file.js';
import type { Counting } from './page.js';

/** The options of `stats`. */
interface StatsOptions extends OutputOptions {
  readonly json?: true | undefined;
  /** The file of the page; `-` for standard output, in place of the report. */
  readonly html?: string | undefined;
}

/** The noun for the product of the run. */
const NOUN = 'report';

/** The width of a report where there is no terminal, and the least width of any report. */
const USUAL_COLUMNS = 80;
const MIN_COLUMNS = 40;

/**
 * Runs `stats`.
 *
 * @param files the logs; none for standard input
 * @throws the errors that `endWith` handles
 */
export async function runStats(files: readonly string[], options: StatsOptions): Promise<void> {
  const { json, html, output: file } = options;
  await runCommand({ ...options, noun: NOUN }, async (run) => {
    const logs = await openLogs(files, 'stats', run);
    const output = await run.openOutput(logs.usedFiles, logs.measure);
    const usedFiles = [...logs.usedFiles, { stats: output.stats, role: 'report' } as const];
    const page = html === undefined || html === STDOUT ? undefined : await openPage(html, usedFiles, run.signal);
    try {
      const { log, count } = await prepareCounting(logs, html !== undefined);
      run.places = log;
      const { counts, formatPage } = await count((lines) => {
        if (lines > 0) run.linesRead = lines;
      });
      await page?.write(formatPage());
      const formatText = (): string => (json === true ? formatJson(counts, log) : formatReport(counts, log, styleOf(file)));
      const text = html === STDOUT ? formatPage() : formatText();
      await writePieces(
        renderTexts([[{}]], () => text, 'utf8'),
        output,
        run.signal,
        { hasMore: logs.hasMore },
      );
      return counts.failure ?? (isUnusable(counts) ? refuseUnusable(counts, log) : undefined);
    } finally {
      page?.close();
    }
  });
}

/** Prepares the counting. The code of the page, and that of `check`, is loaded only where a page is asked for. */
async function prepareCounting(logs: OpenLogs, hasPage: boolean): Promise<Counting> {
  if (hasPage) return (await import('./page.js')).countForPage(logs);
  const { log } = logs;
  return { log, count: async (onRead) => ({ counts: await countLog(log, onRead), formatPage: () => '' }) };
}

async function openPage(file: string, usedFiles: readonly UsedFile[], signal: AbortSignal): Promise<ReplacedFile> {
  const { openReplacedFile } = await import('../../output/replaced-file.js');
  const { refuseLog } = await import('./refuse-log.js');
  return openReplacedFile(file, { usedFiles, noun: NOUN, signal, warn: say }, refuseLog);
}

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
