import { writePieces } from '../../output/pack.js';
import { renderTexts } from '../../output/piece.js';
import { withDestination } from '../with-destination.js';
import type { CommandLine } from './command-line.js';
import { formatBash } from './format-bash.js';
import { formatFish } from './format-fish.js';
import { formatZsh } from './format-zsh.js';
import type { CompletionRunOptions, Shell } from './options.js';
import { zoneNames } from './values.js';

const FORMATS = { bash: formatBash, zsh: formatZsh, fish: formatFish } as const;

/** Runs `completion`. @throws the errors that `endWith` handles */
export async function runCompletion(shell: Shell, commandLine: CommandLine, { outputFile }: CompletionRunOptions): Promise<void> {
  const script = FORMATS[shell](commandLine, zoneNames());
  await withDestination({
    outputFile,
    open: () => Promise.resolve(undefined),
    usedFiles: () => [],
    noun: 'script',
    quiet: true,
    work: async (_sources, output, signal) => {
      await writePieces(
        renderTexts([[{}]], () => script, 'utf8'),
        output,
        signal,
      );
      return undefined;
    },
  });
}
