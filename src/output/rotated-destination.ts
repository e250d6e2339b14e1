import type { Destination } from './destination.js';
import { FileDestination, type FileOptions } from './file-destination.js';
import { openLogFile, type UsedFile } from './log-file.js';
import type { Output } from './output.js';
import { copyToFirst, isSameFile, refuseRotation, renameToFirst } from './rotate-file.js';
import { RotatingOutput } from './rotating-output.js';
import type { Rotation } from './rotation.js';

/** Options of a file that is rotated. */
interface RotatedOptions extends FileOptions {
  readonly rotation: Rotation;
}

/**
 * Opens a regular file for appending, creates it if it does not exist, and rotates it.
 *
 * @throws CallError if the file cannot be opened, is one of those that are used, or cannot be rotated
 */
export async function openRotated(path: string, options: RotatedOptions): Promise<Destination> {
  const { usedFiles, signal, rotation } = options;
  refuseRotation({ path, usedFiles, keep: rotation.keep });
  return new RotatedDestination(await openLogFile(path, usedFiles, signal), path, options);
}

class RotatedDestination extends FileDestination {
  readonly #output: RotatingOutput;
  readonly #usedFiles: readonly UsedFile[];
  readonly #rotation: Rotation;

  constructor(fd: number, path: string, options: RotatedOptions) {
    super(fd, path, options);
    this.#usedFiles = options.usedFiles;
    this.#rotation = options.rotation;
    this.#output = new RotatingOutput(this.file, options.rotation, () => this.#rotate());
  }

  override get output(): Output {
    return this.#output;
  }

  async #rotate(): Promise<void> {
    const { path } = this;
    const { keep, method } = this.#rotation;
    const rotated = { path, keep, usedFiles: this.#usedFiles };
    // Another program may have rotated the file, and its SIGHUP be on the way.
    const isOwn = isSameFile(this.file.fd, path);
    if (isOwn && method === 'copytruncate') {
      await this.file.use((fd) => copyToFirst(rotated, fd));
      return;
    }
    if (isOwn) renameToFirst(rotated);
    this.continueAnew();
  }
}
