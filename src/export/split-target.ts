/** An absolute-form target up to its path (RFC 9112, 3.2.2): scheme and authority. */
const ORIGIN = /^(https?):\/\/([^/?#]*)/i;

/** An authority without its user: host and port. */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::(\d{0,5}))?$/;

/** What a request target says of where and what it is; undefined for what it does not say. Byte strings as they stand there. */
interface TargetParts {
  /** `http` or `https`. */
  readonly scheme: string | undefined;
  /** Without user and port; an IPv6 address in its brackets. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** From its first slash on, up to query and fragment. */
  readonly path: string | undefined;
  /** Without its question mark. */
  readonly query: string | undefined;
  /** Without its number sign. No browser sends one. */
  readonly fragment: string | undefined;
}

const NOTHING: TargetParts = {
  scheme: undefined,
  host: undefined,
  port: undefined,
  path: undefined,
  query: undefined,
  fragment: undefined,
};

/** Splits a request target (2.4) in origin form or absolute form; any other (`*`, `host:443`) has no parts. */
export function splitTarget(target: string): TargetParts {
  const [origin = '', scheme, authority = ''] = ORIGIN.exec(target) ?? [];
  if (origin === '' && !target.startsWith('/')) return NOTHING;
  const [, host, port = ''] = HOST.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  const [beforeFragment, fragment] = splitAt(target.slice(origin.length), '#');
  const [path, query] = splitAt(beforeFragment, '?');
  return {
    scheme: scheme?.toLowerCase(),
    host,
    port: port === '' ? undefined : Number(port),
    path: path === '' ? undefined : path,
    query,
    fragment,
  };
}

/** What stands before a character and after it; all of a text, and undefined, where it does not stand. */
function splitAt(text: string, mark: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
