import { prefixOf } from '../requests/target.js';

/** The paths that section 4 lists under every prefix. */
const PATHS_UNDER_PREFIX: readonly string[] = ['/', '/index.php', '/public_html/index.php'];

/**
 * True for a path that the service handles (4): `/<prefix>/`, `/<prefix>/index.php` or `/<prefix>/public_html/index.php`.
 *
 * @param prefixes without slashes at their ends
 */
export function isHandledPath(path: string, prefixes: readonly string[]): boolean {
  const prefix = prefixOf(path, prefixes);
  return prefix !== undefined && PATHS_UNDER_PREFIX.includes(path.slice(prefix.length + 1));
}

/** Lists the paths that the service handles, each with any query. */
export function listHandledPaths(prefixes: readonly string[]): readonly string[] {
  return prefixes.flatMap((prefix) => PATHS_UNDER_PREFIX.map((path) => `/${prefix}${path}`));
}
