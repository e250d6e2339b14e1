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

export function requireOneOf(known: readonly string[]): Check {
  return (value, name) => {
    if (typeof value === 'string' && known.includes(value)) return;
    throw new TypeError(`${name} is ${show(value)}; give one of ${known.join(', ')}`);
  };
}

export function requireType(type: 'boolean' | 'function' | 'number' | 'string'): Check {
  return (value, name) => {
    if (typeof value !== type) throw new TypeError(`${name} is not a ${type}`);
  };
}

export const requireText = requireType('string');
export const requireFunction = requireType('function');

export function requirePositive(value: unknown, name: string): void {
  if (typeof value !== 'number' || !(value > 0 && value < Infinity)) throw new TypeError(`${name} is not a number above 0`);
}

/** Makes the check that a value is a count: a whole number from `least` on, or Infinity. */
export function requireCount(least: number): Check {
  return (value, name) => {
    if (value === Infinity || (Number.isSafeInteger(value) && Number(value) >= least)) return;
    throw new TypeError(`${name} is not a whole number from ${String(least)} on, or Infinity`);
  };
}

/** Makes the check that a value is an array, or a Set, of known kinds of findings. @param example a kind for the message */
export function requireKinds(known: readonly string[], example: string): Check {
  const requireKind = requireOneOf(known);
  return (value, name) => {
    if (!(Array.isArray(value) || value instanceof Set))
      throw new TypeError(`${name} is not an array; give one such as ['${example}']`);
    for (const kind of value) requireKind(kind, `a kind in ${name}`);
  };
}

export function requireSignal(value: unknown, name: string): void {
  if (!(value instanceof AbortSignal)) throw new TypeError(`${name} is not an AbortSignal`);
}

export function requireMax(value: unknown, name: string): void {
  if (typeof value !== 'number' || !(value >= 0)) throw new TypeError(`${name} is not a number from 0 on`);
}

/** Checks that a value is a stream of bytes or another iterable of chunks. A path or a buffer is refused. */
export function requireChunks(value: unknown, name: string): void {
  if (isIterable(value) && !(value instanceof Uint8Array)) return;
  throw new TypeError(`${name} is not a stream of bytes; give one, such as createReadStream('error.log')`);
}

const SOURCE = "{ source: 'error.log', chunks: createReadStream('error.log') }";

export function requireSource(value: unknown, name: string): void {
  if (!isObject(value) || !('source' in value) || !('chunks' in value) || typeof value.source !== 'string') {
    throw new TypeError(`${name} is not a source; give ${SOURCE}`);
  }
  requireChunks(value.chunks, `${name}.chunks`);
}

export function requireSources(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw new TypeError(`${name} is not an array of sources; give [${SOURCE}]`);
  for (const [index, source] of value.entries()) requireSource(source, `${name}[${String(index)}]`);
}

export function requireBatches(value: unknown): void {
  if (isIterable(value)) return;
  throw new TypeError('the requests are not batches; give an iterable of arrays of requests: [[…]]');
}

/** Checks that a value is a batch: a flat list of requests would otherwise give an empty log. */
export function requireBatch(value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError('a batch is not an array; give batches of requests: [[…]]');
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return typeof value === 'string' ? quoteText(value) : 'not a string';
}
