/** What an absolute-form target has before its path (RFC 9112, 3.2.2): scheme and authority. */
const ORIGIN = /^(https?):\/\/([^/?#]*)/i;

/** A request target in parts, byte strings as they stand there. */
interface TargetParts {
  /** `http` or `https`, in any case; undefined in origin-form. */
  readonly scheme: string | undefined;
  /** User, host and port; undefined in origin-form. */
  readonly authority: string | undefined;
  /** Up to the first `?` or `#`; empty if an absolute-form target names none. */
  readonly path: string;
  /** Without its `?`, up to the `#`; undefined if there is none. */
  readonly query: string | undefined;
  /** Without its `#`; undefined if there is none. No browser sends one. */
  readonly fragment: string | undefined;
}

/** Takes a request target (2.4) apart. A target in another form (`*`, `host:443`) is all path. */
export function partsOf(target: string): TargetParts {
  const [origin = '', scheme, authority] = ORIGIN.exec(target) ?? [];
  const [beforeFragment, fragment] = cutAt(target.slice(origin.length), '#');
  const [path, query] = cutAt(beforeFragment, '?');
  return { scheme, authority, path, query, fragment };
}

/**
 * The path of a request target as it stands there: `/mail/` of `/mail/?_task=login` and of `HTTP://host/mail/#top`, `/` of
 * `http://host`. Paths are not normalised: `/%6dail/` is another path than `/mail/`.
 */
export function pathOf(target: string): string {
  const { authority, path } = partsOf(target);
  // `http:///mail/` names no host: it is not a request target, and must not be taken for one of the path `/mail/`.
  if (authority === '') return target;
  return path === '' ? '/' : path;
}

/** What stands before the first place of a mark, and what behind it; all of a text, and undefined, where there is no mark. */
function cutAt(text: string, mark: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
