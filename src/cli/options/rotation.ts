import { Option, type Command, type OptionValues } from 'commander';
import { CallError } from '../../errors.js';
import { ROTATION_METHODS, type Rotation } from '../../output/rotation.js';
import { optionOf, type OptionsOf } from './option.js';
import { STDOUT } from './output-file.js';
import { parseCount, parseDuration, parseSize } from './quantities.js';

const DEFAULT_KEEP = 5;

/** Adds the options of rotation. Generic, so that earlier options of the command keep their types. @param file the file, as help names it */
export function addRotationOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  file = 'the file of -o',
) {
  const keepHelp = `number of rotated files to keep, or "forever" (default: ${String(DEFAULT_KEEP)})`;
  return command
    .addOption(optionOf('--rotate <size>', `rotate ${file} before it grows beyond this size: 64KiB, 10MB, 2GB`, parseSize))
    .addOption(optionOf('--rotate-every <duration>', `rotate ${file} at this interval: 15m, 1h, 7d`, parseDuration))
    .addOption(optionOf('--rotate-keep <n>', keepHelp, (flag, text) => parseCount(flag, text, 1)))
    .addOption(
      new Option('--rotate-how <method>', 'rename the file (default), or copy and truncate it').choices(ROTATION_METHODS),
    );
}

/**
 * Resolves the rotation of the file of `-o`.
 *
 * @param output the file of `-o`, if it is given
 * @returns undefined if the output is not rotated
 * @throws CallError for a rotation of standard output, and for options that have no effect
 */
export function resolveRotation(
  { rotate, rotateEvery, rotateKeep, rotateHow }: OptionsOf<typeof addRotationOptions<[], Record<never, never>>>,
  output: string = STDOUT,
): Rotation | undefined {
  if (rotate === undefined && rotateEvery === undefined) {
    const source = rotateKeep !== undefined ? '--rotate-keep' : rotateHow !== undefined ? '--rotate-how' : undefined;
    if (source === undefined) return undefined;
    throw new CallError({ source }, 'has no effect without rotation', 'give --rotate or --rotate-every too');
  }
  if (output === STDOUT) {
    const source = rotate === undefined ? '--rotate-every' : '--rotate';
    throw new CallError({ source }, 'standard output cannot be rotated', 'name a file with -o');
  }
  return {
    maxBytes: rotate ?? Infinity,
    everyMs: rotateEvery ?? Infinity,
    keep: rotateKeep ?? DEFAULT_KEEP,
    method: rotateHow ?? 'rename',
  };
}
