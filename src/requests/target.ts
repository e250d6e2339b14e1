const PARTS = /^(?:(https?):\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i;

/** Unchanged byte strings; undefined where the target has none. */
export interface TargetParts {
  /** `http` or `https`, in any case. */
  readonly scheme: string | undefined;
  /** User, host and port. */
  readonly authority: string | undefined;
  /** Up to the first `?` or `#`; empty for an absolute-form target without a path. */
  readonly path: string;
  readonly query: string | undefined;
  /** Browsers do not send fragments. */
  readonly fragment: string | undefined;
}

/** Splits a request target (2.4). A target in another form (`*`, `host:443`) is all path. */
export function partsOf(target: string): TargetParts {
  const [, scheme, authority, path = '', query, fragment] = PARTS.exec(target) ?? [];
  return { scheme, authority, path, query, fragment };
}

/** The path of a target, not normalised: `/mail/` of `/mail/?_task=login` and of `HTTP://host/mail/#top`, `/` of `http://host`. */
export function pathOf(target: string): string {
  const { authority, path } = partsOf(target);
  // `http:///mail/` has no host, so it is not a request target: its path is not `/mail/`.
  if (authority === '') return target;
  return path === '' ? '/' : path;
}

/** The longest prefix that a path is under: `/mail/` is under `mail`, `/mail` is not. Without prefixes, the first segment of the path. */
export function prefixOf(path: string, prefixes?: readonly string[]): string | undefined {
  if (prefixes === undefined) return path.split('/', 2)[1];
  const under = prefixes.filter((prefix) => path.startsWith(`/${prefix}/`));
  return under.sort((left, right) => right.length - left.length)[0];
}
