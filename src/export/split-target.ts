import { partsOf } from '../requests/target.js';

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
  const { scheme, authority = '', path, query, fragment } = partsOf(target);
  if (scheme === undefined && !target.startsWith('/')) return NOTHING;
  const [, host, port = ''] = HOST.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  return {
    scheme: scheme?.toLowerCase(),
    host,
    port: port === '' ? undefined : Number(port),
    path: path === '' ? undefined : path,
    query,
    fragment,
  };
}
