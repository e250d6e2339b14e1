import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CallError, explainSystemError, refuseUse } from '../errors.js';
import { STDOUT } from './options/values.js';

/**
 * Writes the id of this process to a file, whole at once. `close` removes it.
 * @param others the files that the run uses, there or not
 * @throws CallError for a file that cannot be written, or holds anything but the id of a process
 */
export function writePidFile(path: string, others: readonly (string | undefined)[]): { readonly close: () => void } {
  const refuse = (problem: string): CallError => new CallError({ source: path }, problem, 'name another file');
  if (path === STDOUT) throw refuseUse('pidFile', 'standard output cannot hold it', 'name a file');
  if (others.some((other) => other !== undefined && resolve(other) === resolve(path))) throw refuse('is used by this run');
  const unfinished = `${path}.${String(process.pid)}`;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true && (stats.size > 32 || !/^\d*\n?$/.test(readFileSync(path, 'latin1'))))
      throw refuse('is there, and does not hold the id of a process');
    writeFileSync(unfinished, `${String(process.pid)}\n`);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw explainSystemError(error, path);
  }
  return {
    close: () => {
      rmSync(path, { force: true });
    },
  };
}
