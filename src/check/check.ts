import { requireFunction, requireKinds, requireMax, requireOptions, requireType, type OptionChecks } from '../arguments.js';
import { CallError, DataError } from '../errors.js';
import { formatFinding, showFinding, type RuleViolations, type ShownFinding } from '../findings/finding.js';
import { createDeployment, requireDeployment } from '../log/deployment.js';
import { inferLogDeployment, type InferredDeployment } from '../reading/inferred-groups.js';
import { logFilesOf, type LogBytes, type LogFiles } from '../reading/log-files.js';
import { checkLog, type CheckOptions } from './check-log.js';
import { RULE_NAMES, RULES, type Rule, type Violation } from './rules.js';

/** A violation of the specification in a log. */
export interface CheckFinding {
  /** The rule that the log breaks. */
  readonly kind: Rule;
  /** The sections of the specification behind the rule: `2.2, 6.1`. */
  readonly section: string;
  /** The name of the log, or of the file in it; `<log>` for a log that was given as bytes. */
  readonly source: string;
  /** The physical line in it, from 1. */
  readonly line: number;
  /** The value that is there, a byte string, whole and unescaped; words about it where no value says everything. */
  readonly found: string;
  /** The value that belongs there, or words about it, as for `found`. */
  readonly expected: string;
  /** The line of the command's report, `SOURCE:LINE: rule: what is there; expected what belongs there`: safe for a terminal; without LF. */
  readonly message: string;
  /** The first line of the group that it concerns: its own group, or the group above for a step back. */
  readonly groupLine?: number;
  /** The file of that line. */
  readonly groupSource?: string;
  /** The records that are missing from an incomplete group; plugins by their names. */
  readonly missing?: readonly string[];
}

const INFER_REMEDY = 'give options.deployment instead of options.infer';

const CHECK_OPTIONS: OptionChecks<keyof CheckOptions> = {
  deployment: () => undefined,
  infer: requireType('boolean'),
  allow: requireKinds(RULE_NAMES, 'interleaved'),
  max: requireMax,
  onEnd: requireFunction,
};

/**
 * Checks a log against the specification (2.1 to 2.3, 6, 7) and a deployment, in either dialect, as the command `check` does. Gives
 * batches of violations in the order of lines, in bounded memory.
 * @param log the bytes of the log, cut anywhere (a Node stream will do), or its files
 * @throws TypeError for an unknown option or rule, for a value of a wrong type, and for a log that is neither
 * @throws DeploymentError for a deployment that is not complete
 * @throws CallError for `infer` together with a deployment
 * @throws DataError with `infer`, for a log without a complete group, or with a first one that no deployment writes
 */
export async function* check(log: LogBytes, options: CheckOptions = {}): AsyncGenerator<readonly CheckFinding[]> {
  requireOptions(options, 'options', CHECK_OPTIONS);
  const { deployment: given, infer = false } = options;
  if (infer && given !== undefined)
    throw new CallError({ source: 'options.infer' }, 'takes the deployment from the log', 'leave out options.deployment');
  if (given !== undefined) requireDeployment(given);
  const files = logFilesOf(log);
  try {
    const { deployment, hasSessions } = infer
      ? await inferLogDeployment(files.peek(), INFER_REMEDY)
      : { deployment: given ?? createDeployment(), hasSessions: false };
    for await (const violations of checkLog(files, deployment, { ...options, hasSessions }))
      yield violations.map((violation) => findingOf(violation, files));
  } finally {
    await files.close();
  }
}

function findingOf({ kind, line, found, expected, groupLine, missing }: Violation, { placeOf }: LogFiles): CheckFinding {
  const place = placeOf(line);
  const groupPlace = groupLine === undefined ? undefined : placeOf(groupLine);
  return {
    kind,
    section: RULES[kind].section,
    ...place,
    found: found.value ?? found.words,
    expected: expected.value ?? expected.words,
    message: formatFinding({ ...place, kind, found, expected }).trimEnd(),
    ...(groupPlace && { groupLine: groupPlace.line, groupSource: groupPlace.source }),
    ...(missing && { missing }),
  };
}

/** The rules that an ordinary log of a busy server breaks: its requests overlap, and other records stand between theirs. */
const ORDINARY: ReadonlySet<Rule> = new Set<Rule>(['foreign', 'interleaved']);

/** Checks a log, and sums up the violations of each rule that has some. An error that ends the log is left to another reader of it. */
export async function checkByRule(
  log: LogFiles,
  { deployment, hasSessions }: InferredDeployment,
  maxExamples: number,
): Promise<readonly RuleViolations[]> {
  const rules = RULE_NAMES.map((rule) => {
    const [sections, isOrdinary] = [RULES[rule].section, ORDINARY.has(rule)];
    return { rule, sections, isOrdinary, count: 0, examples: new Array<ShownFinding>() };
  });
  try {
    for await (const violations of checkLog(log, deployment, { hasSessions })) {
      for (const violation of violations) {
        const ofRule = rules.find(({ rule }) => rule === violation.kind);
        if (ofRule === undefined) continue;
        ofRule.count += 1;
        if (ofRule.count <= maxExamples) ofRule.examples.push(showFinding({ ...violation, ...log.placeOf(violation.line) }));
      }
    }
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
  }
  return rules.filter(({ count }) => count > 0);
}
