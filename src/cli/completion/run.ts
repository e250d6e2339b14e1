import { writePieces } from '../../output/pack.js';
import { runCommand } from '../command-run.js';
import type { RunOf } from '../options/option.js';
import type { COMMAND } from './command.js';
import { describeCommandLine } from './command-line.js';
import { formatBash } from './format-bash.js';
import { formatFish } from './format-fish.js';
import { formatZsh } from './format-zsh.js';

const FORMATS = { bash: formatBash, zsh: formatZsh, fish: formatFish } as const;

export const RUN: RunOf<typeof COMMAND> = async ({ shell }, { output: file }, all) => {
  const script = FORMATS[shell](describeCommandLine(await all()), zoneNames());
  await runCommand({ output: file, noun: 'script', quiet: true }, async (run) => {
    const output = await run.openOutput();
    await writePieces([[{ bytes: Buffer.from(script), count: 1, origin: {} }]], output, run.signal);
    return undefined;
  });
};

export function zoneNames(): readonly string[] {
  // UTC is not in the list of Node 20.
  return Array.from(new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])).sort();
}
