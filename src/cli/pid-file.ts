import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CallError, explainSystemError, refuseUse } from '../errors.js';
import { STDOUT } from './options/values.js';

/**
 * Does the work of a process whose id stands in a file meanwhile: the file is whole whenever it is there, and removed at the end.
 *
 * @param path undefined for no file
 * @param others the files that the work uses, there or not
 * @throws CallError if the file cannot be written, or holds anything but the id of a process, and what the work throws
 */
export async function withPidFile(
  path: string | undefined,
  others: readonly (string | undefined)[],
  work: () => Promise<void>,
): Promise<void> {
  if (path === undefined) return work();
  if (path === STDOUT) throw refuseUse('pidFile', 'standard output cannot hold it', 'name a file');
  const unfinished = `${path}.${String(process.pid)}`;
  try {
    if (others.some((other) => other !== undefined && resolve(other) === resolve(path)))
      throw refuseFile(path, 'is used by this run');
    refuseOther(path);
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

/** Refuses a file that was not made for the id of a process, such as a log: the end removes it. */
function refuseOther(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return;
  // Of a longer one nothing is read.
  if (stats.size <= 32 && /^\d*\n?$/.test(readFileSync(path, 'latin1'))) return;
  throw refuseFile(path, 'is there, and does not hold the id of a process');
}

function refuseFile(path: string, problem: string): CallError {
  return new CallError({ source: path }, problem, 'name another file');
}
