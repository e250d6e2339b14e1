import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { version } = require('rolldown/package.json');

/**
 * Globals of the language that the modules use. Jest runs modules in a context of `node:vm`, in which each read of a global calls an
 * interceptor: constants halve the time of the slowest tests. `Date`, timers and `process`, which tests replace, are left out.
 */
const GLOBALS =
  'Array, BigInt, Boolean, Buffer, Error, Float64Array, Infinity, Int32Array, JSON, Map, Math, NaN, Number, Object, Promise, RangeError, ' +
  'Reflect, RegExp, Set, String, Symbol, TextDecoder, TypeError, Uint8Array, Uint32Array, WeakMap, WeakSet, parseInt';

/** A change of this file makes the cache of jest stale. */
const OWN_TEXT = readFileSync(fileURLToPath(import.meta.url), 'utf8');

/** On the first line, so that the numbers of lines stay what they are. */
const PREFIX = `const { ${GLOBALS} } = globalThis; `;

/**
 * The transform of jest: removes the types of one file of TypeScript, with the compiler of the build, the fastest.
 */
export default {
  async processAsync(text, fileName) {
    // Loaded only for a file that is not in the cache of jest.
    const { transform } = await import('rolldown/experimental');
    const { code, map, errors } = await transform(fileName, text, {
      target: 'es2023',
      sourcemap: true,
      typescript: { onlyRemoveTypeImports: true },
    });
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
    return { code: PREFIX + code, map };
  },
  getCacheKey(text, fileName) {
    return createHash('sha1').update([OWN_TEXT, version, fileName, text].join('\0')).digest('hex');
  },
};
