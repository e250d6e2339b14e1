/** What section 4 lists under every prefix. */
const PATHS_UNDER_PREFIX = ['/', '/index.php', '/public_html/index.php'] as const;

/**
 * The paths that the service handles (4), with any query on each: `/<prefix>/`, `/<prefix>/index.php` and
 * `/<prefix>/public_html/index.php`. Paths are compared as they stand in a target: `/%6dail/` is another path than `/mail/`.
 *
 * @param prefixes without slashes at their ends
 */
export function listHandledPaths(prefixes: readonly string[]): ReadonlySet<string> {
  return new Set(prefixes.flatMap((prefix) => PATHS_UNDER_PREFIX.map((path) => `/${prefix}${path}`)));
}
