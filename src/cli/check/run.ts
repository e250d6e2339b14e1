import { checkLog, type CheckResult } from '../../check/check-log.js';
import { JSON_REPORT, TEXT_REPORT, total, type ReportFormat } from '../../check/report.js';
import { isRule, RULE_NAMES, type Rule } from '../../check/rules.js';
import { CallError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import type { Deployment } from '../../log/deployment.js';
import type { Destination } from '../../output/destination.js';
import { pack } from '../../output/pack.js';
import { renderTexts } from '../../output/render-texts.js';
import { writeChunks } from '../../output/write-chunks.js';
import { quoteText } from '../../wording.js';
import type { RawCheckOptions } from './command.js';
import { endWithFindings } from '../exit.js';
import { withLinesRead } from '../lines-read.js';
import { openSource } from '../open-source.js';
import { readWithStatus } from '../read-status.js';
import { resolveDeployment } from '../options/resolve-deployment.js';
import { withDestination } from '../with-destination.js';

/** The options as meant. */
interface CheckRun {
  readonly deployment: Deployment;
  readonly allowed: ReadonlySet<Rule>;
  readonly max: number;
  readonly format: ReportFormat;
}

/**
 * Runs `check` with argument and options as they were given.
 *
 * @throws the errors that `endWith` knows
 */
export async function runCheck(file: string | undefined, raw: RawCheckOptions): Promise<void> {
  const run: CheckRun = {
    deployment: resolveDeployment(raw),
    allowed: parseRules(raw.allow ?? []),
    max: parseMax(raw.max),
    format: raw.json === true ? JSON_REPORT : TEXT_REPORT,
  };
  await withDestination({
    outputFile: raw.output ?? '-',
    open: (signal) => openSource(file, 'check', 'log', signal),
    noun: 'violation',
    showsStatus: true,
    work: (input, log, signal) => withLinesRead(log.output.noun, (onRead) => writeReport(input, log, run, signal, onRead)),
  });
}

async function writeReport(
  input: Input,
  log: Destination,
  run: CheckRun,
  signal: AbortSignal,
  onRead: (lines: number) => void,
): Promise<void> {
  const results: CheckResult[] = [];
  const lines = readReport(input, run, onRead, (result) => results.push(result));
  const pieces = renderTexts(lines, ({ text }) => text, 'utf8');
  await writeChunks(pack(pieces, input.hasMore), log.output, signal);
  if (results.some(({ violations }) => total(violations) > 0)) endWithFindings();
}

/** The lines of the report, a batch for each piece of input. */
async function* readReport(
  { chunks, source }: Input,
  { deployment, allowed, max, format }: CheckRun,
  onRead: (lines: number) => void,
  onEnd: (result: CheckResult) => void,
): AsyncGenerator<readonly { readonly text: string; readonly line?: number }[]> {
  let shown = 0;
  let summary = '';
  const onChecked = (result: CheckResult): void => {
    summary = format.formatSummary(result, source, shown);
    onEnd(result);
  };
  const checking = checkLog(readWithStatus(chunks, true), deployment, { allowed, onRead, onEnd: onChecked });
  for await (const violations of checking) {
    const some = violations.slice(0, max - shown);
    shown += some.length;
    yield some.map((violation) => ({ text: format.formatViolation(violation, source), line: violation.line }));
  }
  yield [{ text: summary }];
}

/** @param lists of names, one list for each time that the option was given */
function parseRules(lists: readonly string[]): ReadonlySet<Rule> {
  const rules = new Set<Rule>();
  for (const name of lists.flatMap((list) => list.split(','))) {
    const rule = name.trim();
    if (!isRule(rule))
      throw new CallError({ source: '--allow' }, `${quoteText(name)} is no rule`, `the rules are ${RULE_NAMES.join(', ')}`);
    rules.add(rule);
  }
  return rules;
}

function parseMax(text: string): number {
  const max = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(max)) return max;
  throw new CallError({ source: '--max' }, `${quoteText(text)} is no number of lines`, 'give a whole number from 0 on');
}
