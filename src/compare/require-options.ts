import {
  isObject,
  requireFunction,
  requireKinds,
  requireMax,
  requireOneOf,
  requireOptions,
  requireType,
  type OptionChecks,
} from '../arguments.js';
import type { CompareOptions } from './compare-options.js';
import { FINDING_KINDS, RECORD_KINDS } from './kinds.js';
import { FIELD_NAMES } from './record-fields.js';

/** The options of `compareLogs`, each with its check. */
export const COMPARE_OPTIONS: OptionChecks<keyof CompareOptions> = {
  comparison: requireComparison,
  kind: (value, name) => {
    requireOneOf(value, name, RECORD_KINDS);
  },
  isLossy: (value, name) => {
    requireType(value, name, 'boolean');
  },
  allowed: (value, name) => {
    requireKinds(value, name, FINDING_KINDS, 'duplicated');
  },
  max: requireMax,
  onEnd: requireFunction,
};

const COMPARISONS = ['lines', 'field', 'fields'] as const;

function requireComparison(value: unknown, name: string): void {
  if (!isObject(value) || !('as' in value)) {
    throw new TypeError(`${name} is not a comparison; give one such as { as: 'field', path: 'message' }`);
  }
  const as = (kind: unknown, key: string): void => {
    requireOneOf(kind, key, COMPARISONS);
  };
  // A comparison that is of no known kind is refused for that, not for its other keys.
  as(value.as, `${name}.as`);
  if (value.as === 'lines') {
    requireOptions(value, name, { as });
  } else if (value.as === 'field') {
    requireOptions(value, name, { as, path: requirePath });
    if (!('path' in value) || value.path === undefined) requirePath(undefined, `${name}.path`);
  } else {
    requireOptions(value, name, { as, fields: requireFields });
    if (!('fields' in value) || value.fields === undefined) requireFields(undefined, `${name}.fields`);
  }
}

function requirePath(value: unknown, name: string): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is not a path; give one such as 'event.original'`);
}

function requireFields(value: unknown, name: string): void {
  if (!(value instanceof Map) || value.size === 0) {
    throw new TypeError(`${name} is not a Map of paths; give one such as new Map([['request_target', 'url.original']])`);
  }
  for (const [field, path] of value) {
    requireOneOf(field, `a field in ${name}`, FIELD_NAMES);
    requirePath(path, `the path of ${String(field)} in ${name}`);
  }
}
