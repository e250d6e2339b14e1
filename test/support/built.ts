import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

let isChecked = false;

/** Refuses a build that is older than its sources: a test would judge code of yesterday. @throws Error */
export function requireBuild(): void {
  if (isChecked) return;
  const builtMs = statSync(join(PROJECT, 'dist/cli/main.cjs')).mtimeMs;
  const sources = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => `src/${path}`);
  const newer = ['tsdown.config.ts', 'man/write-pages.js', ...sources].find(
    (path) => statSync(join(PROJECT, path)).mtimeMs > builtMs && /\.[jt]s$/.test(path),
  );
  if (newer !== undefined) throw new Error(`dist/ is older than ${newer}: npm run build`);
  isChecked = true;
}
