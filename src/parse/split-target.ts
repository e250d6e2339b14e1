/** An absolute-form target up to its path (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?]*/i;

/** What a request target says of path and query, byte strings as they stand there; undefined for what it does not say. */
interface TargetParts {
  /** From its first slash on, without the query. */
  readonly path: string | undefined;
  /** Without its question mark. */
  readonly query: string | undefined;
}

/** Splits a request target (2.4) in origin form or absolute form; any other (`*`, `host:443`) has no parts. */
export function splitTarget(target: string): TargetParts {
  const rest = target.replace(ORIGIN, '');
  if (rest === target && !target.startsWith('/')) return { path: undefined, query: undefined };
  const mark = rest.indexOf('?');
  const path = mark === -1 ? rest : rest.slice(0, mark);
  return { path: path === '' ? undefined : path, query: mark === -1 ? undefined : rest.slice(mark + 1) };
}
