import { accessSync, constants, existsSync, ftruncateSync, fstatSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CallError, explainSystemError, systemErrorCode } from '../errors.js';
import type { Kinds } from '../wording.js';
import { isSameFile, type UsedFile } from './log-file.js';
import type { NamedFile } from './named-file.js';

export const ROTATION_METHODS = {
  rename: { meaning: 'rename FILE to FILE.1, and create it anew' },
  copytruncate: { meaning: 'copy FILE to FILE.1, and truncate it' },
} as const satisfies Kinds;

/** FILE becomes FILE.1, FILE.1 becomes FILE.2, …; always between two pieces. */
export interface Rotation {
  /** A piece that would exceed this size starts the next file; a larger piece gets its own file. May be Infinity. */
  readonly maxBytes: number;
  /** At this interval, before the next piece. May be Infinity. */
  readonly everyMs: number;
  /** Never steps back. Default `performance.now`. */
  readonly now?: () => number;
  readonly method: keyof typeof ROTATION_METHODS;
  /** The number of rotated files to keep: FILE.1 (the newest), FILE.2, …; from 1 on, may be Infinity. */
  readonly keep: number;
}

interface RotationFiles {
  readonly path: string;
  readonly keep: number;
  /** These must not be renamed. */
  readonly usedFiles: readonly UsedFile[];
}

/** Refuses a file (which need not exist) that cannot be rotated, or whose rotated names are taken. @throws CallError */
export function refuseRotation(file: RotationFiles): void {
  const { path } = file;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true) {
      throw new CallError({ source: path }, 'a symbolic link cannot be rotated', 'name the file that it leads to');
    }
    if (stats?.isFile() === false) {
      throw new CallError({ source: path }, 'only a regular file can be rotated', 'name one, or leave the rotation out');
    }
    findFreeNumber(file);
    // A folder that does not exist is reported when the file is opened.
    const folder = dirname(path);
    if (existsSync(folder)) accessSync(folder, constants.W_OK);
  } catch (error) {
    throw explainRotationError(error, path, path);
  }
}

/** Rotates a file that is not empty. */
export class Rotator {
  readonly #file: NamedFile;
  readonly #rotation: Rotation;
  readonly #now: () => number;
  #nextMs: number;

  constructor(file: NamedFile, rotation: Rotation) {
    this.#file = file;
    this.#rotation = rotation;
    this.#now = rotation.now ?? (() => performance.now());
    this.#nextMs = this.#now() + rotation.everyMs;
  }

  /** Rotates the file when it is time, or the next piece does not fit. @returns the number of bytes that fit */
  makeRoom(pieceBytes: number): Promise<number> {
    const file = this.#file;
    const { maxBytes } = this.#rotation;
    return file.use(async () => {
      const isTime = this.#isTime();
      await file.endTorn();
      let { size } = fstatSync(file.fd);
      if (size > 0 && (isTime || pieceBytes > maxBytes - size)) {
        await this.#rotate();
        await file.endTorn();
        ({ size } = fstatSync(file.fd));
      }
      return maxBytes - size;
    });
  }

  #isTime(): boolean {
    const { everyMs } = this.#rotation;
    const lateMs = this.#now() - this.#nextMs;
    if (lateMs < 0) return false;
    this.#nextMs += everyMs * (Math.floor(lateMs / everyMs) + 1);
    return true;
  }

  async #rotate(): Promise<void> {
    const { keep, method } = this.#rotation;
    const { fd, path, options } = this.#file;
    const rotated = { path, keep, usedFiles: options.usedFiles };
    // Another program may have rotated the file, with its SIGHUP still to come.
    const isOwn = isSameFile(fd, path);
    if (isOwn && method === 'copytruncate') {
      await copyToFirst(rotated, fd);
      return;
    }
    if (isOwn) renameToFirst(rotated);
    this.#file.openAnew();
  }
}

/** Renames FILE to FILE.1. @throws CallError before anything is renamed, if a name is taken */
function renameToFirst(file: RotationFiles): void {
  const { path } = file;
  try {
    freeFirst(file);
    renameSync(path, nameOf(path, 1));
  } catch (error) {
    throw explainRotationError(error, path, path);
  }
}

/**
 * Copies FILE to FILE.1, and truncates it. The copy has a hidden name until it is complete, so that a killed process never leaves half of it.
 * If the copy fails, all files are unchanged.
 */
async function copyToFirst(file: RotationFiles, fd: number): Promise<void> {
  const { path } = file;
  const copy = join(dirname(path), `.${basename(path)}.rotating`);
  try {
    findFreeNumber(file);
    rmSync(copy, { force: true });
    await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    freeFirst(file);
    renameSync(copy, nameOf(path, 1));
    ftruncateSync(fd, 0);
  } catch (error) {
    rmSync(copy, { force: true });
    throw explainRotationError(error, path, nameOf(path, 1));
  }
}

function nameOf(path: string, number: number): string {
  return `${path}.${String(number)}`;
}

/** Renames FILE.1 to FILE.2 and so on, up to the first free number. */
function freeFirst(file: RotationFiles): void {
  for (let number = findFreeNumber(file); number > 1; number -= 1) {
    renameSync(nameOf(file.path, number - 1), nameOf(file.path, number));
  }
}

/** The lowest free number, else the last. @throws CallError if a name is taken by something else */
function findFreeNumber({ path, keep, usedFiles }: RotationFiles): number {
  for (let number = 1; ; number += 1) {
    const source = nameOf(path, number);
    const stats = lstatSync(source, { throwIfNoEntry: false });
    if (stats === undefined) return number;
    const remedy = 'move it away, because rotation needs the name';
    if (!stats.isFile()) throw new CallError({ source }, stats.isDirectory() ? 'is a folder' : 'is not a regular file', remedy);
    const same = usedFiles.find((file) => file.stats?.dev === stats.dev && file.stats.ino === stats.ino);
    if (same !== undefined) throw new CallError({ source }, `is the ${same.role} file`, remedy);
    if (number >= keep) return number;
  }
}

/** @param source the file of the error, unless the folder is the cause */
function explainRotationError(error: unknown, path: string, source: string): unknown {
  const code = systemErrorCode(error);
  if (code !== 'EACCES' && code !== 'EPERM') return explainSystemError(error, source);
  const problem = 'cannot be rotated: its folder may not be written';
  return new CallError({ source: path }, problem, 'check who owns the folder and its mode', { cause: error });
}
