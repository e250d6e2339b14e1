import { partsOf, type TargetParts } from '../requests/target.js';

/** The host and the port of an authority without its user. */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::(\d{0,5}))?$/;

/** The components of a request target for fields; undefined if missing. The scheme is in lower case. */
type UrlParts = Partial<Omit<TargetParts, 'authority' | 'path'>> & {
  readonly path?: string | undefined;
  /** Without user and port; an IPv6 address in its brackets. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
};

/** Splits a request target (2.4) in origin-form or absolute-form. Other forms (`*`, `host:443`) have no components. */
export function splitTarget(target: string): UrlParts {
  const { scheme, authority = '', path, query, fragment } = partsOf(target);
  if (scheme === undefined && !target.startsWith('/')) return {};
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
