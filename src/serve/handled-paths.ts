/** The paths that section 4 lists under every prefix. */
const PATHS_UNDER_PREFIX = ['/', '/index.php', '/public_html/index.php'] as const;

/**
 * Lists the paths that the service handles (4), each with any query: `/<prefix>/`, `/<prefix>/index.php` and
 * `/<prefix>/public_html/index.php`. They are compared with `pathOf` a target.
 *
 * @param prefixes without slashes at their ends
 */
export function listHandledPaths(prefixes: readonly string[]): ReadonlySet<string> {
  return new Set(prefixes.flatMap((prefix) => PATHS_UNDER_PREFIX.map((path) => `/${prefix}${path}`)));
}
