import { checkLog, type CheckResult } from '../../check/check-log.js';
import { JSON_REPORT, TEXT_REPORT } from '../../check/report.js';
import type { Violation } from '../../check/rules.js';
import { DataError, refuseUse } from '../../errors.js';
import { inferLogDeployment } from '../../reading/inferred-groups.js';
import { nameSources } from '../../reading/line-places.js';
import { findRemedy, isUnusable } from '../../reading/passed-over.js';
import { namesOf } from '../../wording.js';
import { runCommand } from '../command-run.js';
import { flagOf } from '../messages.js';
import { openLogs } from '../logs.js';
import { DEPLOYMENT, resolveDeployment } from '../options/deployment.js';
import { firstGiven, type Given, type RunOf } from '../options/option.js';
import { writeReport } from '../write-report.js';
import type { COMMAND } from './command.js';

export const RUN: RunOf<typeof COMMAND> = async ({ log: files }, options) => {
  const { allow, max, envelope } = options;
  const { deployment: given, usedFiles } = resolveSite(options);
  await runCommand({ ...options, usedFiles, noun: 'violation' }, async (run) => {
    const logs = await openLogs(files, 'check', run, { envelope, zone: given?.timezone });
    const output = await run.openOutput(logs.measure);
    const { deployment, hasSessions } =
      given === undefined
        ? await inferLogDeployment(logs.peek(), 'give --deployment instead of --infer')
        : { deployment: given, hasSessions: false };
    const format = options.json === true ? JSON_REPORT : TEXT_REPORT;
    let result: CheckResult | undefined;
    let unusable: DataError | undefined;
    const violations = checkLog(logs.log, deployment, {
      ...(allow && { allow }),
      max,
      hasSessions,
      onRead: run.onRead,
      onEnd: (counted, passedOver) => {
        result = counted;
        if (isUnusable(passedOver) && allow?.has('foreign') !== true) {
          const remedy = findRemedy(passedOver, logs.log) ?? 'check the file';
          unusable = new DataError({ source: nameSources(logs.log) }, 'no line is a record', remedy);
        }
      },
    });
    const report = {
      findings: violations,
      format: (violation: Violation) => format.formatViolation(violation, logs.log),
      summarize: () => result && { text: format.formatSummary(result, logs.log), total: result.counts.total },
    };
    await writeReport(report, output, run.signal, { hasMore: logs.hasMore });
    return unusable;
  });
};

/** The deployment that the log is compared with; undefined for that of the log itself. @throws CallError */
function resolveSite(options: Given<typeof COMMAND.options>) {
  if (options.infer !== true) return resolveDeployment(options);
  const given = firstGiven(options, ...namesOf(DEPLOYMENT));
  if (given === undefined) return { deployment: undefined, usedFiles: [] };
  throw refuseUse('infer', 'takes the deployment from the log', `leave out ${flagOf(given)}`);
}
