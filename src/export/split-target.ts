import { isPlainJson } from '../log/json-text.js';
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

/** The marks before the parts that a target has beside its path. */
export type TargetMarks = '' | '?' | '#' | '?#';

/** A request target in origin-form that JSON holds unchanged, and its parts: those that it does not have are empty. */
interface PlainTarget {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  readonly marks: TargetMarks;
}

/** Longer targets are not taken for plain ones: templates of all lengths would take too much memory. */
export const MAX_PLAIN_LENGTH = 1023;

/** A cache holds the first targets of a log, up to this many. Most logs repeat a few: `parse --as records` takes a tenth less time. */
const MAX_CACHED = 4096;

/** Splits plain targets. */
export class PlainTargets {
  readonly #cache = new Map<string, PlainTarget>();

  /** The parts of a target; undefined for one that is not plain. */
  split(target: string): PlainTarget | undefined {
    const cached = this.#cache.get(target);
    if (cached !== undefined) return cached;
    if (!target.startsWith('/') || target.length > MAX_PLAIN_LENGTH || !isPlainJson(target)) return undefined;
    const { path = '', query, fragment } = splitTarget(target);
    const marks = query === undefined ? (fragment === undefined ? '' : '#') : fragment === undefined ? '?' : '?#';
    const parts = { path, query: query ?? '', fragment: fragment ?? '', marks } as const;
    if (this.#cache.size < MAX_CACHED) this.#cache.set(target, parts);
    return parts;
  }
}
