import { Help } from 'commander';
import type { Kinds } from '../../wording.js';

const COLUMNS = 80;

/** Breaks a paragraph into lines. @param margin columns that are left free */
export function wrapHelp(paragraph: string, margin = 0): string {
  return new Help().boxWrap(paragraph, COLUMNS - margin);
}

/** Lists kinds and what they mean: a line each, or several below one another. */
export function formatKinds(kinds: Kinds): string {
  const width = Math.max(...Object.keys(kinds).map((kind) => kind.length)) + '  '.length;
  const margin = ' '.repeat('  '.length + width);
  return Object.entries(kinds)
    .map(([kind, { meaning }]) => `  ${kind.padEnd(width)}${wrapHelp(meaning, margin.length).replaceAll('\n', `\n${margin}`)}`)
    .join('\n');
}

export function formatExamples(examples: readonly string[]): string {
  return ['Examples:', ...examples.map((example) => `  ${example.replaceAll('\n', '\n  ')}`)].join('\n');
}
