import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, PROJECT } from './run.js';

/** A project of its own, with the files of an example and the library installed. */
export function makeExampleProject(example: string, manifest: string): string {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'package.json'), manifest);
  cpSync(join(PROJECT, 'examples', example), cwd, { recursive: true });
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(PROJECT, join(cwd, 'node_modules/webmail-diaglog'));
  return cwd;
}
