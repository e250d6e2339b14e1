import { randomBytes } from 'node:crypto';
import { closeSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAddress } from './address.js';
import type { FileOptions } from './named-file.js';
import { explainOpenError, refuseUsed } from './log-file.js';
import { openDestination } from './open-destination.js';
import { writePieces } from './pack.js';
import { renderSummary } from './piece.js';

export interface ReplacedFile {
  readonly write: (text: string) => Promise<void>;
  /** A file that has not been written keeps its content. */
  readonly close: () => void;
}

const PERMISSIONS = 0o777;

/**
 * Opens a file to be replaced by a temporary file: readers never see half of it, and a failed run leaves it unchanged. A FIFO or a device is
 * written to directly. @param refuse throws for a regular file that must not be replaced
 */
export async function openReplacedFile(
  path: string,
  options: FileOptions,
  refuse: (path: string) => void,
): Promise<ReplacedFile> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (isAddress(path) || stats?.isFile() === false) {
      const destination = await openDestination(path, options);
      const write = (text: string): Promise<void> => writePieces([[renderSummary(text)]], destination, options.signal);
      return { write, close: destination.close.bind(destination, undefined) };
    }
    if (stats !== undefined) {
      refuseUsed(stats, options.usedFiles, path);
      refuse(path);
    }
    // Not a symbolic link but the file behind it is replaced.
    const realPath = stats === undefined ? path : realpathSync(path);
    const temporaryPath = join(dirname(realPath), `.webmail-diaglog-${randomBytes(6).toString('hex')}`);
    // Created at once, so that a read-only folder is reported before the log is read.
    closeSync(openSync(temporaryPath, 'wx'));
    return {
      write: async (text) => {
        try {
          await writeFile(temporaryPath, text);
          if (stats !== undefined) await chmod(temporaryPath, stats.mode & PERMISSIONS);
          await rename(temporaryPath, realPath);
        } catch (error) {
          throw explainOpenError(error, path);
        }
      },
      close: () => {
        rmSync(temporaryPath, { force: true });
      },
    };
  } catch (error) {
    throw explainOpenError(error, path);
  }
}
