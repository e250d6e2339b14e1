/** The scheme and the authority of an absolute-form target (RFC 9112, 3.2.2). */
const ORIGIN = /^(https?):\/\/([^/?#]*)/i;

/** The parts of a request target, unchanged byte strings. */
export interface TargetParts {
  /** `http` or `https`, in any case; undefined in origin-form. */
  readonly scheme: string | undefined;
  /** User, host and port; undefined in origin-form. */
  readonly authority: string | undefined;
  /** The path up to the first `?` or `#`; empty for an absolute-form target without a path. */
  readonly path: string;
  /** The query without its `?`; undefined if there is none. */
  readonly query: string | undefined;
  /** The fragment without its `#`; undefined if there is none. Browsers do not send fragments. */
  readonly fragment: string | undefined;
}

/** Splits a request target (2.4). A target in another form (`*`, `host:443`) is all path. */
export function partsOf(target: string): TargetParts {
  const [origin = '', scheme, authority] = ORIGIN.exec(target) ?? [];
  const [beforeFragment, fragment] = cutAt(target.slice(origin.length), '#');
  const [path, query] = cutAt(beforeFragment, '?');
  return { scheme, authority, path, query, fragment };
}

/**
 * Gives the path of a request target: `/mail/` of `/mail/?_task=login` and of `HTTP://host/mail/#top`, `/` of `http://host`.
 * Paths are not normalised: `/%6dail/` and `/mail/` differ.
 */
export function pathOf(target: string): string {
  const { authority, path } = partsOf(target);
  // `http:///mail/` has no host, so it is not a request target: its path is not `/mail/`.
  if (authority === '') return target;
  return path === '' ? '/' : path;
}

/**
 * Finds the prefix that a path is under, without slashes at its ends: `/mail/` and `/mail/index.php` are under `mail`, `/mail` and
 * `/mailbox/` are not.
 *
 * @param prefixes the prefixes under which the application is mounted; the longest match wins. Left out, the first segment of the path is
 *   the prefix
 */
export function prefixOf(path: string, prefixes?: readonly string[]): string | undefined {
  if (prefixes === undefined) return path.split('/', 2)[1];
  const under = prefixes.filter((prefix) => path.startsWith(`/${prefix}/`));
  return under.sort((left, right) => right.length - left.length)[0];
}

/** Splits a text at the first occurrence of a separator; `after` is undefined if there is none. */
function cutAt(text: string, separator: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
