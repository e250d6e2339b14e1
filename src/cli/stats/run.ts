import type { FileOptions } from '../../output/file-destination.js';
import { pack } from '../../output/pack.js';
import { renderTexts } from '../../output/render-texts.js';
import type { ReplacedFile } from '../../output/replaced-file.js';
import { writeChunks } from '../../output/write-chunks.js';
import { isUnusable, refuseUnusable } from '../../reading/unusable-log.js';
import { countLog } from '../../stats/count-log.js';
import { formatJson } from '../../stats/log-stats.js';
import { formatReport } from '../../stats/format-report.js';
import type { Style } from '../../stats/style.js';
import { withLinesRead } from '../with-lines-read.js';
import { measureRead } from '../measure-read.js';
import { say } from '../messages.js';
import { openLogs, type OpenLogs } from '../open-logs.js';
import { STDOUT } from '../options/output-file.js';
import type { StatsRunOptions } from './options.js';
import type { Counting } from './page.js';
import { withDestination } from '../with-destination.js';

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
export async function runStats(files: readonly string[], options: StatsRunOptions): Promise<void> {
  const { format, pageFile, outputFile, quiet } = options;
  await withDestination({
    outputFile,
    open: (signal) => openLogs(files, 'stats', signal),
    noun: NOUN,
    quiet,
    measure: measureRead,
    usedFiles: ({ usedFiles }) => usedFiles,
    work: async (logs, { output, stats }, signal) => {
      const usedFiles = [...logs.usedFiles, { stats, role: 'report' } as const];
      const page = pageFile === undefined ? undefined : await openPage(pageFile, { usedFiles, noun: NOUN, signal, warn: say });
      try {
        const { log, count } = await prepareCounting(logs, options);
        return await withLinesRead(output, log, async (onRead) => {
          const { counts, formatPage } = await count(onRead);
          await page?.write(formatPage());
          const formats: Readonly<Record<StatsRunOptions['format'], () => string>> = {
            text: () => formatReport(counts, log, styleOf(outputFile)),
            json: () => formatJson(counts, log),
            html: formatPage,
          };
          const pieces = renderTexts([[{}]], formats[format], 'utf8');
          await writeChunks(pack(pieces, logs.hasMore), output, signal);
          return counts.failure ?? (isUnusable(counts) ? refuseUnusable(counts, log) : undefined);
        });
      } finally {
        page?.close();
      }
    },
  });
}

/** Prepares the counting. The code of the page, and that of `check`, is loaded only where a page is asked for. */
async function prepareCounting(logs: OpenLogs, { format, pageFile }: StatsRunOptions): Promise<Counting> {
  if (format === 'html' || pageFile !== undefined) return (await import('./page.js')).countForPage(logs);
  const { log } = logs;
  return { log, count: async (onRead) => ({ counts: await countLog(log, onRead), formatPage: () => '' }) };
}

async function openPage(file: string, options: FileOptions): Promise<ReplacedFile> {
  const { openReplacedFile } = await import('../../output/replaced-file.js');
  const { refuseLog } = await import('./refuse-log.js');
  return openReplacedFile(file, options, refuseLog);
}

/** Chooses the width of the terminal, and plain ASCII unless the terminal shows UTF-8. */
function styleOf(outputFile: string): Style {
  const { stdout, env } = process;
  if (outputFile !== STDOUT || !stdout.isTTY) return { columns: USUAL_COLUMNS, isPlain: true };
  // The first variable that is set and not empty decides.
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '') ?? '';
  return {
    // A terminal that does not know its size says 0.
    columns: Math.max(MIN_COLUMNS, stdout.columns || USUAL_COLUMNS),
    isPlain: env['TERM'] === 'dumb' || !/utf-?8/i.test(locale),
  };
}
