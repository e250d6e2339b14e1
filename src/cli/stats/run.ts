import { pack } from '../../output/pack.js';
import { renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { refuseUnusable } from '../../reading/unusable-log.js';
import { countLog } from '../../stats/count-log.js';
import { formatJson } from '../../stats/format-json.js';
import { formatReport } from '../../stats/format-report.js';
import type { Style } from '../../stats/style.js';
import { withLinesRead } from '../with-lines-read.js';
import { measureRead } from '../measure-read.js';
import { openLogs } from '../open-logs.js';
import { STDOUT } from '../options/output-file.js';
import type { StatsRunOptions } from './options.js';
import { withDestination } from '../with-destination.js';

/** The width of a report where there is no terminal, and the least width of any report. */
const USUAL_COLUMNS = 80;
const MIN_COLUMNS = 40;

/**
 * Runs `stats`.
 *
 * @param files the logs; none for standard input
 * @throws the errors that `endWith` handles
 */
export async function runStats(files: readonly string[], { format, outputFile, quiet }: StatsRunOptions): Promise<void> {
  await withDestination({
    outputFile,
    open: (signal) => openLogs(files, 'stats', signal),
    noun: 'report',
    quiet,
    measure: measureRead,
    readFiles: ({ readFiles }) => readFiles,
    work: ({ log, hasMore }, { output }, signal) =>
      withLinesRead(output, log, async (onRead) => {
        const counts = await countLog(log, onRead);
        const report = format === 'json' ? formatJson(counts, log) : formatReport(counts, log, styleOf(outputFile));
        const pieces = renderTexts([[{}]], () => report, 'utf8');
        await writeChunks(pack(pieces, hasMore), output, signal);
        const isUnusable = counts.lines > 0 && counts.foreign.count === counts.lines;
        return counts.failure ?? (isUnusable ? refuseUnusable(counts, log) : undefined);
      }),
  });
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
