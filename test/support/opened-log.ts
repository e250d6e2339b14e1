import { execSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Destination } from '../../src/output/destination.js';
import { openDestination } from '../../src/output/open-destination.js';
import type { Rotation } from '../../src/output/rotation.js';
import { packetOf } from './packets.js';
import { rotatedIn } from './rotated-files.js';
import { makeFolder, readBytes } from './run.js';

interface OpenedLog {
  readonly log: Destination;
  readonly folder: string;
  readonly path: string;
  readonly warnings: string[];
  readonly read: (name?: string) => string;
  /** The content of `error.log` and the files that it became, the oldest first. */
  readonly contents: () => readonly string[];
}

export interface Given {
  /** The names of files that are there before, and their content; a file `input` is one that the run reads. */
  readonly before?: Readonly<Record<string, string>> | undefined;
  readonly rotation?: Partial<Rotation>;
  readonly followsPath?: boolean;
}

/** How outputs are opened where nothing is to be said or stopped. */
export const QUIET = { usedFiles: [], noun: 'group', signal: new AbortController().signal, warn: (): void => undefined };

export const ROTATION: Rotation = { maxBytes: Infinity, everyMs: Infinity, now: () => 0, method: 'rename', keep: 5 };

export async function openLog({ before = {}, rotation, followsPath }: Given = {}): Promise<OpenedLog> {
  const folder = makeFolder(before);
  const path = join(folder, 'error.log');
  const input = join(folder, 'input');
  const warnings: string[] = [];
  const log = await openDestination(path, {
    ...QUIET,
    usedFiles: existsSync(input) ? [{ stats: statSync(input), role: 'input' }] : [],
    warn: (message) => warnings.push(message.replaceAll(`${folder}/`, '')),
    followsPath,
    rotation: rotation && { ...ROTATION, ...rotation },
  });
  const read = (name = 'error.log'): string => readBytes(folder, name);
  return { log, folder, path, warnings, read, contents: () => rotatedIn(folder) };
}

/**
 * Takes steps one after the other, and closes the log: `$ …` is a script in its folder, SIGHUP reopens it, LOOK is a second of a fake
 * clock; all else is a packet of pieces, a space between two.
 * @returns the contents, a space for each LF but the last
 */
export async function takeSteps({ log, folder, contents }: OpenedLog, steps: readonly string[]): Promise<readonly string[]> {
  for (const step of steps)
    if (step.startsWith('$ ')) execSync(step.slice(2), { cwd: folder });
    else if (step === 'SIGHUP') log.reopen();
    else if (step === 'LOOK') jest.advanceTimersByTime(1000);
    else await log.write(packetOf(...step.split(' ')));
  log.close();
  return contents().map((content) => content.replace(/\n$/, '').replaceAll('\n', ' '));
}
