import { compareLogs } from '../../src/compare/compare-logs.js';
import { FINDING_KINDS, type ComparisonFinding, type ComparisonSummary } from '../../src/compare/findings.js';
import type { ComparedSource, CompareOptions } from '../../src/compare/options.js';
import { chunksOf, collect } from './bytes.js';

export interface Compared {
  readonly findings: readonly ComparisonFinding[];
  readonly summary: ComparisonSummary;
}

/** A source that gives a byte string, cut at places; it can be read once more unless `isPipe`. */
export function sourceOf(source: string, bytes: string, cuts: readonly number[] = [], isPipe = false): ComparedSource {
  const buffer = Buffer.from(bytes, 'latin1');
  const chunks = chunksOf(bytes, cuts);
  return isPipe ? { source, chunks } : { source, chunks, readAt: (target, position) => buffer.copy(target, 0, position) };
}

export const logOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Compares byte strings: `sent.log` with `came.log`, or with `came-1.log`, `came-2.log` and so on. */
export async function compare(
  sent: string,
  came: string | readonly string[],
  options: CompareOptions & { readonly cuts?: readonly number[]; readonly isPipe?: boolean } = {},
): Promise<Compared> {
  const { cuts, isPipe, ...rest } = options;
  const received =
    typeof came === 'string'
      ? [sourceOf('came.log', came, cuts, isPipe)]
      : came.map((bytes, index) => sourceOf(`came-${String(index + 1)}.log`, bytes, cuts, isPipe));
  return compareSources(sourceOf('sent.log', sent, cuts, isPipe), received, rest);
}

export async function compareSources(
  expected: ComparedSource,
  received: readonly ComparedSource[],
  options: CompareOptions = {},
): Promise<Compared> {
  const summaries: ComparisonSummary[] = [];
  const batches = await collect(compareLogs(expected, received, { ...options, onEnd: (end) => summaries.push(end) }));
  const [summary] = summaries;
  if (summary === undefined) throw new Error('there is no summary');
  return { findings: batches.flat(), summary };
}

/** `came.log:3 altered: how` for each finding, `came.log:3-5 foreign` for one of several lines. */
export function briefly({ findings }: Pick<Compared, 'findings'>): string[] {
  return findings.map(({ source, line, lastLine, kind, how }) => {
    const lines = lastLine === line ? String(line) : `${String(line)}-${String(lastLine)}`;
    return `${source}:${lines} ${kind}${how === undefined ? '' : `: ${how}`}`;
  });
}

export function countsOf({ summary }: { readonly summary: Pick<ComparisonSummary, 'counts'> }): Record<string, number> {
  return Object.fromEntries(
    FINDING_KINDS.map((kind): [string, number] => [kind, summary.counts.of(kind)]).filter(([, count]) => count > 0),
  );
}
