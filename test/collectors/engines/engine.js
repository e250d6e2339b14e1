// Prints the captures of every line of a log that a pattern matches, in an engine from npm:
// node npm.js re2js|rregex|vscode-oniguruma PATTERN-FILE LOG
// A character of the strings stands for a byte of the log (latin1).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { argv, stdout } from 'node:process';

const require = createRequire(import.meta.url);

/** Each compiles a pattern into a function from a line to its captures, or undefined. */
const ENGINES = {
  re2js: (pattern) => {
    const regex = require('re2js').RE2JS.compile(pattern);
    return (line) => {
      const matcher = regex.matcher(line);
      return matcher.find() ? Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1)) : undefined;
    };
  },
  rregex: (pattern) => {
    const regex = new (require('rregex').RRegex)(pattern);
    return (line) =>
      regex
        .captures(line)
        ?.get.slice(1)
        .map(({ value }) => value);
  },
  'vscode-oniguruma': async (pattern) => {
    const { loadWASM, createOnigScanner, createOnigString } = require('vscode-oniguruma');
    await loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
    const scanner = createOnigScanner([pattern]);
    return (line) => {
      const text = createOnigString(line);
      const match = scanner.findNextMatchSync(text, 0);
      text.dispose();
      return match?.captureIndices.slice(1).map(({ start, end }) => line.slice(start, end));
    };
  },
};

const [engine, patternFile, log] = argv.slice(2);
const capture = await ENGINES[engine](readFileSync(patternFile, 'utf8').trimEnd());
const lines = readFileSync(log, 'latin1').split('\n');
// The third of nine is the session id.
const matched = lines.flatMap(
  (line) =>
    capture(line)
      ?.filter((_, at, all) => at !== 2 || all.length !== 9)
      .join(' ') ?? [],
);
stdout.write(matched.map((captures) => `${captures}\n`).join(''), 'latin1');
