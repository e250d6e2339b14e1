import { pack } from '../../output/pack.js';
import { renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { countLog } from '../../stats/count-log.js';
import { formatJson } from '../../stats/format-json.js';
import { formatReport } from '../../stats/format-report.js';
import type { Style } from '../../stats/style.js';
import { withLinesRead } from '../lines-read.js';
import { inputFile, openSource } from '../open-source.js';
import { readWithStatus } from '../read-status.js';
import type { StatsRunOptions } from './options.js';
import { withDestination } from '../with-destination.js';

/** The columns of a report that no terminal shows, and those that every report needs. */
const USUAL_COLUMNS = 80;
const MIN_COLUMNS = 40;

/**
 * Runs `stats`.
 *
 * @param file the log; standard input for `-` and where no file is given
 * @throws the errors that `endWith` handles
 */
export async function runStats(file: string | undefined, { format, outputFile }: StatsRunOptions): Promise<void> {
  await withDestination({
    outputFile,
    open: (signal) => openSource(file, 'stats', 'log', signal),
    noun: 'report',
    readFiles: (input) => [inputFile(input)],
    showsStatus: true,
    work: ({ source, chunks, hasMore }, { output }, signal) =>
      withLinesRead(output, async (onRead) => {
        const counts = await countLog(readWithStatus(chunks, false), onRead);
        const report = format === 'json' ? formatJson(counts, source) : formatReport(counts, source, styleOf(outputFile));
        const pieces = renderTexts([[{}]], () => report, 'utf8');
        await writeChunks(pack(pieces, hasMore), output, signal);
      }),
  });
}

/** As the terminal is; plain where there is none, or none that shows UTF-8. */
function styleOf(outputFile: string): Style {
  const { stdout, env } = process;
  if (outputFile !== '-' || !stdout.isTTY) return { columns: USUAL_COLUMNS, isPlain: true };
  // The first that is set and not empty decides.
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => one !== undefined && one !== '') ?? '';
  return {
    // A terminal that does not know its size says 0.
    columns: Math.max(MIN_COLUMNS, stdout.columns || USUAL_COLUMNS),
    isPlain: env['TERM'] === 'dumb' || !/utf-?8/i.test(locale),
  };
}
