import { closeSync, openSync, readSync } from 'node:fs';
import type { ComparedSource } from '../../compare/compare-options.js';
import { CallError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import { inputFile, openSource, STDIN } from '../open-source.js';
import { readWithStatus } from '../read-status.js';
import { withDestination } from '../with-destination.js';
import { withLinesRead } from '../with-lines-read.js';
import { compareGrowing } from './follow.js';
import type { CompareRunOptions } from './options.js';
import { writeReport } from './write-report.js';

/**
 * Runs `compare`.
 *
 * @param expected the log that was sent
 * @param received what was delivered, in order; standard input where none is named
 * @throws the errors that `endWith` handles
 */
export async function runCompare(expected: string, received: readonly string[], options: CompareRunOptions): Promise<void> {
  const names = received.length === 0 ? [undefined] : received;
  if ([expected, ...names].filter((name) => name === undefined || name === STDIN).length > 1) {
    throw new CallError({ source: 'compare' }, 'standard input cannot be both sides', 'name the file that was sent');
  }
  if (options.waitMs === undefined) await compareInputs(expected, names, options);
  else await compareGrowing(expected, names, options, options.waitMs);
}

async function compareInputs(
  expected: string,
  received: readonly (string | undefined)[],
  options: CompareRunOptions,
): Promise<void> {
  await withDestination({
    outputFile: options.outputFile,
    noun: 'finding',
    open: async (signal) => {
      const sent = await openSource(expected, 'compare', 'expected log', signal);
      const delivered: Input[] = [];
      for (const name of received) delivered.push(await openSource(name, 'compare', 'received input', signal));
      return { sent, delivered };
    },
    readFiles: ({ sent, delivered }) => [sent, ...delivered].map(inputFile),
    showsStatus: true,
    work: async ({ sent, delivered }, { output }, signal) => {
      const reread = sent.stats.isFile() && expected !== STDIN ? openAgain(expected) : undefined;
      try {
        const source: ComparedSource = { source: sent.source, chunks: sent.chunks, ...(reread && { readAt: reread.readAt }) };
        await withLinesRead(output, () =>
          writeReport(
            source,
            delivered.map((input) => ({ source: input.source, chunks: readWithStatus(input.chunks, true) })),
            { options, output, signal, hasMore: () => true },
          ),
        );
      } finally {
        reread?.close();
      }
    },
  });
}

/** Opens a file once more, to be read at any place; undefined for a packed one, whose bytes are not those that are compared. */
function openAgain(
  file: string,
): { readonly readAt: (buffer: Uint8Array, position: number) => number; readonly close: () => void } | undefined {
  const fd = openSync(file, 'r');
  const magic = Buffer.alloc(2);
  readSync(fd, magic, 0, 2, 0);
  if (magic.equals(GZIP_MAGIC)) {
    closeSync(fd);
    return undefined;
  }
  return {
    readAt: (buffer, position) => readSync(fd, buffer, 0, buffer.length, position),
    close: () => {
      closeSync(fd);
    },
  };
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
