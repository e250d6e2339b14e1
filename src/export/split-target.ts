import { partsOf } from '../requests/target.js';

/** The host and the port of an authority without its user. */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::(\d{0,5}))?$/;

/** The parts of a request target, byte strings; undefined for parts that it does not have. */
interface TargetParts {
  /** `http` or `https`. */
  readonly scheme: string | undefined;
  /** Without user and port; an IPv6 address in its brackets. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** From its first slash on, without query and fragment. */
  readonly path: string | undefined;
  /** Without its question mark. */
  readonly query: string | undefined;
  /** Without its number sign. Browsers never send a fragment. */
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

/** Splits a request target (2.4) in origin form or absolute form. Other forms (`*`, `host:443`) have no parts. */
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
