import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { explainSystemError } from '../errors.js';

/**
 * Does the work of a process whose id stands in a file meanwhile: the file is whole whenever it is there, and removed at the end.
 *
 * @param path undefined for no file
 * @throws CallError if the file cannot be written, and what the work throws
 */
export async function withPidFile(path: string | undefined, work: () => Promise<void>): Promise<void> {
  if (path === undefined) return work();
  const unfinished = `${path}.${String(process.pid)}`;
  try {
    writeFileSync(unfinished, `${String(process.pid)}\n`);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw explainSystemError(error, path);
  }
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}
