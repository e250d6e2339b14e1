import { checkLog, type CheckResult } from '../../check/check-log.js';
import { JSON_REPORT, TEXT_REPORT } from '../../check/report.js';
import type { Rule } from '../../check/rules.js';
import { DataError } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import { writePieces } from '../../output/pack.js';
import { inferLogDeployment } from '../../reading/infer-log-deployment.js';
import type { EnvelopeOptions } from '../../reading/log-files.js';
import { nameSources } from '../../reading/line-places.js';
import { findRemedy, isUnusable } from '../../reading/passed-over.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { endWithFindings } from '../exit.js';
import { openLogs } from '../logs.js';
import type { Site } from '../options/deployment.js';
import type { FindingOptions } from '../options/findings.js';
import { renderReport } from '../render-report.js';

/** The options of `check`. */
interface CheckOptions extends OutputOptions, FindingOptions<Rule>, Pick<Site, 'usedFiles'>, Pick<EnvelopeOptions, 'envelope'> {
  /** The deployment to compare with; undefined for that of the log's own groups. */
  readonly deployment: Deployment | undefined;
}

/** Runs `check`. @param files none for standard input */
export async function runCheck(files: readonly string[], options: CheckOptions): Promise<void> {
  const { allow: allowed = new Set<Rule>() } = options;
  await runCommand({ ...options, noun: 'violation' }, async (run) => {
    const logs = await openLogs(files, 'check', run, {
      envelope: options.envelope,
      zone: options.deployment?.timezone,
    });
    const output = await run.openOutput(logs.measure);
    const { deployment, hasSessions } =
      options.deployment === undefined
        ? await inferLogDeployment(logs.peek(), 'give --deployment instead of --infer')
        : { deployment: options.deployment, hasSessions: false };
    const format = options.json === true ? JSON_REPORT : TEXT_REPORT;
    let result: CheckResult | undefined;
    let unusable: DataError | undefined;
    const violations = checkLog(logs.log, deployment, {
      allow: allowed,
      max: options.max,
      hasSessions,
      onRead: run.onRead,
      onEnd: (counted, passedOver) => {
        result = counted;
        if (isUnusable(passedOver) && !allowed.has('foreign')) {
          const remedy = findRemedy(passedOver, logs.log) ?? 'check the file';
          unusable = new DataError({ source: nameSources(logs.log) }, 'no line is a record', remedy);
        }
      },
    });
    const report = renderReport(
      violations,
      (violation) => format.formatViolation(violation, logs.log),
      () => result && format.formatSummary(result, logs.log),
    );
    await writePieces(report, output, run.signal, { hasMore: logs.hasMore });
    if ((result?.counts.total ?? 0) > 0) endWithFindings();
    return unusable;
  });
}
