import { DataError } from '../errors.js';
import { showFinding, type RuleViolations, type ShownFinding } from '../findings/finding.js';
import type { InferredDeployment } from '../reading/infer-log-deployment.js';
import type { LogFiles } from '../reading/log-files.js';
import { checkLog, type CheckResult } from './check-log.js';
import { RULES, type Rule } from './rules.js';

/** The rules that an ordinary log of a busy server breaks: its requests overlap, and other records stand between theirs. */
const ORDINARY: ReadonlySet<Rule> = new Set<Rule>(['foreign', 'interleaved']);

/** Checks a log, and sums up the violations of each rule that has some. An error that ends the log is left to another reader of it. */
export async function checkByRule(
  log: LogFiles,
  { deployment, hasSessions }: InferredDeployment,
  maxExamples: number,
): Promise<readonly RuleViolations[]> {
  const examples = new Map<Rule, readonly ShownFinding[]>();
  const results: CheckResult[] = [];
  try {
    for await (const violations of checkLog(log, deployment, { hasSessions, onEnd: (result) => results.push(result) })) {
      for (const violation of violations) {
        const known = examples.get(violation.kind) ?? [];
        if (known.length === maxExamples) continue;
        examples.set(violation.kind, [...known, showFinding({ ...violation, ...log.placeOf(violation.line) })]);
      }
    }
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
  }
  return results.flatMap(({ counts }) =>
    Array.from(counts.found, ([rule, count]) => ({
      rule,
      sections: RULES[rule].section,
      isOrdinary: ORDINARY.has(rule),
      count,
      examples: examples.get(rule) ?? [],
    })),
  );
}
