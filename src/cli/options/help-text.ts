import { Help } from 'commander';
import type { Kinds } from '../../wording.js';

/** The columns of a help text. */
const COLUMNS = 80;

/** Breaks a paragraph into lines. */
export function wrapHelp(paragraph: string): string {
  return new Help().boxWrap(paragraph, COLUMNS);
}

/** Lists kinds and what they mean: a line each. */
export function formatKinds(kinds: Kinds): string {
  const width = Math.max(...Object.keys(kinds).map((kind) => kind.length)) + 1;
  return Object.entries(kinds)
    .map(([kind, { meaning }]) => `  ${kind.padEnd(width)} ${meaning}`)
    .join('\n');
}

/** Lists calls, as they are typed. */
export function formatExamples(examples: readonly string[]): string {
  return ['Examples:', ...examples.map((example) => `  ${example.replaceAll('\n', '\n  ')}`)].join('\n');
}
