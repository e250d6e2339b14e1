import { Option, type Command, type OptionValues } from 'commander';
import { CallError } from '../../errors.js';
import { ROTATION_METHODS, type Rotation } from '../../output/rotation.js';
import { parseDuration } from './durations.js';
import { parseCount } from './numbers.js';
import type { OptionsOf } from './options-of.js';
import { STDOUT } from './output-file.js';
import { parseSize } from './sizes.js';

const DEFAULT_KEEP = 5;

/** Adds the options of rotation and of the copy. Generic, so that earlier options of the command keep their types. */
export function addRotationOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return addRotationAlone(command, 'the file of -o').option(
    '--tee <file>',
    'append everything to a second file first, which is not rotated',
  );
}

/** Adds the options of rotation. @param file the file, as help names it */
export function addRotationAlone<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
  file: string,
) {
  return command
    .option('--rotate <size>', `rotate ${file} before it grows beyond a size: 64KiB, 10MB, 2GB`)
    .option('--rotate-every <duration>', `rotate ${file} each time that this time has passed: 15m, 1h, 7d`)
    .option('--rotate-keep <n>', `how many rotated files are kept, or "forever" (default: ${String(DEFAULT_KEEP)})`)
    .addOption(
      new Option('--rotate-how <method>', 'rename the file (default), or copy and truncate it').choices(ROTATION_METHODS),
    );
}

type None = Record<never, never>;

/** The options as given. */
type RawRotationOptions = OptionsOf<typeof addRotationOptions<[], None>>;

/** The options as meant. */
export interface RotationChoice {
  /** Undefined if the output is not rotated. */
  readonly rotation: Rotation | undefined;
  /** The file to append a copy to, or `STDOUT`; undefined for no copy. */
  readonly copyFile: string | undefined;
}

/** Resolves the options of rotation and of the copy. @param outputFile the file of `-o`, or `STDOUT` @throws CallError */
export function resolveRotation(raw: RawRotationOptions, outputFile: string): RotationChoice {
  return { rotation: resolveRotationAlone(raw, outputFile), copyFile: resolveCopyFile(raw.tee, outputFile) };
}

/** Resolves the options of rotation; undefined if there are none. @param outputFile the file, or `STDOUT` @throws CallError */
export function resolveRotationAlone(raw: Omit<RawRotationOptions, 'tee'>, outputFile: string): Rotation | undefined {
  const { rotate, rotateEvery, rotateKeep, rotateHow } = raw;
  if (rotate === undefined && rotateEvery === undefined) {
    const source = rotateKeep !== undefined ? '--rotate-keep' : rotateHow !== undefined ? '--rotate-how' : undefined;
    if (source === undefined) return undefined;
    throw new CallError({ source }, 'nothing is rotated', 'give --rotate or --rotate-every with it');
  }
  if (outputFile === STDOUT) {
    const source = rotate === undefined ? '--rotate-every' : '--rotate';
    throw new CallError({ source }, 'standard output cannot be rotated', 'name a file with -o');
  }
  return {
    maxBytes: rotate === undefined ? Infinity : parseSize('--rotate', rotate),
    everyMs: rotateEvery === undefined ? Infinity : parseDuration('--rotate-every', rotateEvery),
    keep: rotateKeep === undefined ? DEFAULT_KEEP : parseCount('--rotate-keep', rotateKeep, 1),
    method: rotateHow ?? 'rename',
  };
}

function resolveCopyFile(tee: string | undefined, outputFile: string): string | undefined {
  // A shell variable that is not set leaves the name empty.
  if (tee === '') throw new CallError({ source: '--tee' }, 'it is empty', 'name a file, or leave it out');
  if (tee === STDOUT && outputFile === STDOUT)
    throw new CallError({ source: '--tee' }, 'standard output is the output already', 'name a file');
  return tee;
}
