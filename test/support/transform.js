import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { version } = require('typescript/package.json');

/**
 * Globals of the language that the modules use. Jest runs modules in a context of `node:vm`, in which each read of a global calls an
 * interceptor. With these constants test/compare/exactness.test.ts takes 4 s of processor time instead of 9, test/check/agreement.test.ts 4
 * instead of 11. Tests replace none of them; `Date`, timers and `process`, which tests do replace, are left out.
 */
const GLOBALS = [
  'Array',
  'BigInt',
  'Boolean',
  'Buffer',
  'Error',
  'Infinity',
  'JSON',
  'Map',
  'Math',
  'NaN',
  'Number',
  'Object',
  'Promise',
  'RangeError',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'TypeError',
  'Uint8Array',
  'Uint32Array',
  'WeakMap',
];

/** A change of this file makes the cache of jest stale. */
const OWN_TEXT = readFileSync(fileURLToPath(import.meta.url), 'utf8');

/** On the first line, so that the numbers of lines stay what they are. */
const PREFIX = `const { ${GLOBALS.join(', ')} } = globalThis; `;

/** The transform of jest: removes the types of one file of TypeScript. */
export default {
  process(text, fileName) {
    // Loaded only for a file that is not in the cache of jest: loading takes half a second.
    const ts = require('typescript');
    const { outputText } = ts.transpileModule(text, {
      fileName,
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        inlineSourceMap: true,
        inlineSources: true,
      },
    });
    return { code: PREFIX + outputText };
  },
  getCacheKey(text, fileName) {
    return createHash('sha1').update([OWN_TEXT, version, fileName, text].join('\0')).digest('hex');
  },
};
