import { quoteText } from './wording.js';

/** Checks a value. Throws a TypeError that names it by the key behind its parameter: `options.kind`. */
type Check = (value: unknown, name: string) => void;

/** The checks of options, by key: callers without types may pass anything, and an ignored option misleads. */
export type OptionChecks<Key extends string = string> = Readonly<Record<Key, Check>>;

/** Checks an object of options: every key is known, and every value passes the check of its key. `undefined` counts as left out. */
export function requireOptions(given: unknown, name: string, checks: OptionChecks): void {
  const known = new Map(Object.entries(checks));
  const keys = Array.from(known.keys()).join(', ');
  if (!isObject(given)) throw new TypeError(`${name} is not an object; give an object with any of the keys ${keys}`);
  for (const [key, value] of Object.entries(given)) {
    const check = known.get(key);
    if (check === undefined) throw new TypeError(`${name}.${key} is not an option; the options are ${keys}`);
    if (value !== undefined) check(value, `${name}.${key}`);
  }
}

/** Makes a check. @param what the value ought to be, as the message says it: `a number above 0` */
function requireThat(isRight: (value: unknown) => boolean, what: string): Check {
  return (value, name) => {
    if (!isRight(value)) throw new TypeError(`${name} is not ${what}`);
  };
}

export function requireType(type: 'boolean' | 'function' | 'number' | 'string'): Check {
  return requireThat((value) => typeof value === type, `a ${type}`);
}

export const requireText = requireType('string');
export const requireFunction = requireType('function');
export const requirePositive = requireThat((value) => isFrom(value, Number.MIN_VALUE) && value !== Infinity, 'a number above 0');
export const requireMax = requireThat((value) => isFrom(value, 0), 'a number from 0 on');
export const requireSignal = requireThat((value) => value instanceof AbortSignal, 'an AbortSignal');

export function requireCount(least: number): Check {
  const isCount = (value: unknown): boolean => isFrom(value, least) && (value === Infinity || Number.isSafeInteger(value));
  return requireThat(isCount, `a whole number from ${String(least)} on, or Infinity`);
}

export function requireOneOf(known: readonly string[]): Check {
  return (value, name) => {
    if (typeof value === 'string' && known.includes(value)) return;
    const shown = typeof value === 'string' ? quoteText(value) : 'not a string';
    throw new TypeError(`${name} is ${shown}; give one of ${known.join(', ')}`);
  };
}

export function requireKinds(known: readonly string[], example: string): Check {
  const requireKind = requireOneOf(known);
  return (value, name) => {
    if (!(Array.isArray(value) || value instanceof Set))
      throw new TypeError(`${name} is not an array; give one such as ['${example}']`);
    for (const kind of value) requireKind(kind, `a kind in ${name}`);
  };
}

export const requireChunks = requireThat(
  (value) => isIterable(value) && !(value instanceof Uint8Array),
  "a stream of bytes; give one, such as createReadStream('error.log')",
);

const SOURCE = "{ source: 'error.log', chunks: createReadStream('error.log') }";

export function requireSource(value: unknown, name: string): void {
  if (!isObject(value) || !('source' in value) || !('chunks' in value) || typeof value.source !== 'string')
    throw new TypeError(`${name} is not a source; give ${SOURCE}`);
  requireChunks(value.chunks, `${name}.chunks`);
}

export function requireSources(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw new TypeError(`${name} is not an array of sources; give [${SOURCE}]`);
  for (const [index, source] of value.entries()) requireSource(source, `${name}[${String(index)}]`);
}

export function requireBatches(value: unknown): void {
  if (!isIterable(value)) throw new TypeError('the requests are not batches; give an iterable of arrays of requests: [[…]]');
}

/** Checks that a value is a batch: a flat list of requests would otherwise give an empty log. */
export function requireBatch(value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError('a batch is not an array; give batches of requests: [[…]]');
}

function isFrom(value: unknown, least: number): boolean {
  return typeof value === 'number' && value >= least;
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
