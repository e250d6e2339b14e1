import { refuseOption } from '../errors.js';
import type { LogRequest } from '../log/group.js';

const PARTS = /^(?:(https?):\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/i;

export type TargetParts = Readonly<Record<'scheme' | 'authority' | 'query' | 'fragment', string | undefined> & { path: string }>;

/**
 * Splits a request target (2.4) into unchanged byte strings, undefined where the target has none. The authority is user, host and port; the
 * path is empty for an absolute-form target without one. A target in another form (`*`, `host:443`) is all path.
 */
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

/** Adds a parameter to a query: with `r=7`, `/mail/` becomes `/mail/?r=7`, `/mail/?a=b#f` becomes `/mail/?a=b&r=7#f`. */
export function markTarget(target: string, parameter: string): string {
  const [start = '', query = ''] = /^[^?#]*(\?[^#]*)?/.exec(target) ?? [];
  const separator = query === '' ? '?' : query === '?' ? '' : '&';
  return start + separator + parameter + target.slice(start.length);
}

/** Adds `name=1`, `name=2`, … to the targets of successive batches. @param first the number of the first request */
export function markerOf(name: string, first: number): <T extends LogRequest>(batch: readonly T[]) => readonly T[] {
  let number = first;
  return (batch) =>
    batch.map((request) => {
      const target = markTarget(request.target, `${name}=${String(number)}`);
      number += 1;
      return { ...request, target };
    });
}

/** The characters of the names in marks, as a class of an expression: those that a query has unescaped. */
export const MARK_CHARACTER = '[A-Za-z0-9._~-]';

const NAME = new RegExp(`^${MARK_CHARACTER}{1,64}$`);

/** Returns the name of the parameter that marks requests. @param key of the option, for messages @throws CallError */
export function requireMark(key: string, name: string, what = 'parameter name', example = 'r'): string {
  if (NAME.test(name)) return name;
  throw refuseOption(key, name, `is not a ${what}`, `give letters, digits or ._~-, such as ${example}`);
}
