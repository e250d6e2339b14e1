import type { RunResult } from './run.js';

/** The figures above 0 of the summary of `canary --json`, its last line. */
export function summaryOf({ stdout }: RunResult): Record<string, unknown> {
  const summary: unknown = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  return Object.fromEntries(Object.entries(summary ?? {}).filter(([, value]) => typeof value === 'number' && value > 0));
}
