import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, openSync, readlinkSync, realpathSync, rmSync, statSync, type Stats } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FileOptions } from './appended-file.js';
import { explainOpenError, refuseUsed } from './log-file.js';
import { openDestination } from './open-destination.js';
import { writePieces } from './pack.js';
import { renderSummary } from './piece.js';

/** A file that gets a new content as a whole. */
export interface ReplacedFile {
  /** Writes the content, in UTF-8; to be called once. @throws CallError */
  readonly write: (text: string) => Promise<void>;
  /** Ends the writing. A file that has not been written keeps its content. */
  readonly close: () => void;
}

const PERMISSIONS = 0o777;

/**
 * Opens a file to be replaced. The new content is written beside the file, which takes its place in one step: readers never see a part
 * of it, and a run that fails leaves the file unchanged. A FIFO or a device is written to instead.
 *
 * @param refuse throws for a regular file that must not be replaced
 * @throws CallError if the file cannot be written, or is one of those that the run reads; what `refuse` throws
 */
export async function openReplacedFile(
  path: string,
  options: FileOptions,
  refuse: (path: string) => void,
): Promise<ReplacedFile> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isFile()) return await openSpecialFile(path, options);
    if (stats !== undefined) {
      refuseUsed(stats, options.usedFiles, path);
      refuse(path);
    }
    return openRegularFile(path, stats);
  } catch (error) {
    throw explainOpenError(error, path);
  }
}

function openRegularFile(path: string, stats: Stats | undefined): ReplacedFile {
  const target = findTarget(path);
  const newPath = join(dirname(target), `.webmail-diaglog-${randomBytes(6).toString('hex')}`);
  // Made at once, so that a folder that cannot be written is found before the log is read.
  closeSync(openSync(newPath, 'wx'));
  let isWritten = false;
  return {
    write: async (text) => {
      try {
        await writeFile(newPath, text);
        if (stats !== undefined) await chmod(newPath, stats.mode & PERMISSIONS);
        await rename(newPath, target);
        isWritten = true;
      } catch (error) {
        throw explainOpenError(error, path);
      }
    },
    close: () => {
      if (!isWritten) rmSync(newPath, { force: true });
    },
  };
}

/** Follows symbolic links, so that they stay: the file that they lead to is replaced, or made where it is missing. */
function findTarget(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? findTarget(resolve(realpathSync(dirname(path)), readlinkSync(path))) : path;
}

async function openSpecialFile(path: string, options: FileOptions): Promise<ReplacedFile> {
  const destination = await openDestination(path, options);
  const write = (text: string): Promise<void> => writePieces([[renderSummary(text)]], destination, options.signal);
  return { write, close: destination.close.bind(destination, undefined) };
}
