import { accessSync, constants, existsSync, ftruncateSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import type { Kinds } from '../wording.js';
import { findUsed, type UsedFile } from './log-file.js';

export const ROTATION_METHODS = {
  rename: { meaning: 'rename FILE to FILE.1, and create it anew' },
  copytruncate: { meaning: 'copy FILE to FILE.1, and truncate it' },
} as const satisfies Kinds;

export interface Rotation {
  /** A piece that would exceed this size starts the next file; a larger piece gets its own file. May be Infinity. */
  readonly maxBytes: number;
  /** At this interval, before the next piece. May be Infinity. */
  readonly everyMs: number;
  /** The time in milliseconds since a fixed moment; never steps back. */
  readonly now: () => number;
  readonly method: keyof typeof ROTATION_METHODS;
  /** The number of rotated files to keep: FILE.1 (the newest), FILE.2, …; from 1 on, may be Infinity. */
  readonly keep: number;
}

/** Refuses a file (which need not exist) that cannot be rotated, or whose rotated names are taken. @throws CallError */
export function refuseRotation(path: string, keep: number, usedFiles: readonly UsedFile[]): void {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true)
      throw new CallError({ source: path }, 'a symbolic link cannot be rotated', 'name the file that it leads to');
    if (stats?.isFile() === false)
      throw new CallError({ source: path }, 'only a regular file can be rotated', 'name one, or leave the rotation out');
    findFreeNumber(path, keep, usedFiles);
    // A folder that does not exist is reported when the file is opened.
    const folder = dirname(path);
    if (existsSync(folder)) accessSync(folder, constants.W_OK);
  } catch (error) {
    throw explainRotationError(error, path);
  }
}

/**
 * Moves FILE, or its content, to FILE.1, after FILE.1 to FILE.2 and so on up to the first free number. A copy has a hidden name until it is
 * complete: a killed process never leaves half of it. @throws CallError with all files unchanged if a name is taken, or the copy fails
 */
export async function moveToFirst(
  path: string,
  fd: number,
  { method, keep }: Rotation,
  usedFiles: readonly UsedFile[],
): Promise<void> {
  const isCopied = method === 'copytruncate';
  const moved = isCopied ? join(dirname(path), `.${basename(path)}.rotating`) : path;
  try {
    let number = findFreeNumber(path, keep, usedFiles);
    if (isCopied) {
      rmSync(moved, { force: true });
      await copyFile(path, moved, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    }
    for (; number > 1; number -= 1) renameSync(nameOf(path, number - 1), nameOf(path, number));
    renameSync(moved, nameOf(path, 1));
    if (isCopied) ftruncateSync(fd, 0);
  } catch (error) {
    if (isCopied) rmSync(moved, { force: true });
    throw explainRotationError(error, isCopied ? nameOf(path, 1) : path);
  }
}

function nameOf(path: string, number: number): string {
  return `${path}.${String(number)}`;
}

/** The lowest free number, else the last. @throws CallError if a name is taken by something else */
function findFreeNumber(path: string, keep: number, usedFiles: readonly UsedFile[]): number {
  for (let number = 1; ; number += 1) {
    const source = nameOf(path, number);
    const stats = lstatSync(source, { throwIfNoEntry: false });
    if (stats === undefined) return number;
    const remedy = 'move it away, because rotation needs the name';
    if (!stats.isFile()) throw new CallError({ source }, stats.isDirectory() ? 'is a folder' : 'is not a regular file', remedy);
    const used = findUsed(stats, usedFiles);
    if (used !== undefined) throw new CallError({ source }, `is the ${used.role} file`, remedy);
    if (number >= keep) return number;
  }
}

/** Files are renamed and made by permission of their folder. */
function explainRotationError(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  return explainSystemError(error, code === 'EACCES' || code === 'EPERM' ? dirname(path) : path);
}
