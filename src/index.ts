/** The library: the commands as functions on streams and iterables, and what they are built from: records, groups, requests, readers. */
export { canary, type Canary } from './canary/canary.js';
export type { CanaryFinding, CanaryKind, CanarySnapshot } from './canary/findings.js';
export type { CanaryOptions } from './canary/options.js';
export { check, type CheckFinding } from './check/check.js';
export type { CheckOptions, CheckResult } from './check/check-log.js';
export type { Rule } from './check/rules.js';
export { compareLogs } from './compare/compare-logs.js';
export type { ComparedSource, CompareOptions, ComparisonOptions } from './compare/options.js';
export type { ComparisonFinding, ComparisonSummary, FindingKind, FormMismatch } from './compare/findings.js';
export type { FieldName } from './compare/fields.js';
export type { ReadAt } from './compare/spilled-texts.js';
export { exportRecords, type ExportOptions } from './export/render-documents.js';
export type { DocumentFormName } from './export/forms.js';
export type { DeliveredRecords, DeliveryFinding, DeliverySummary } from './findings/delivery.js';
export type { FindingCounts } from './findings/finding-counts.js';
export type { FollowedLatency, LatencySummary } from './findings/latencies.js';
export type { Chunks } from './lines.js';
export { encodeText, type JsonFields } from './log/byte-string.js';
export type { EnvelopeChoice, EnvelopeName } from './envelope/envelopes.js';
export {
  createDeployment,
  DeploymentError,
  parseDeployment,
  type Deployment,
  type DeploymentOptions,
  type Dialect,
  type Driver,
} from './log/deployment.js';
export { formatGroup, GroupRenderer, type Batches, type LogRequest } from './log/group.js';
export { inferDeploymentOptions, NoDeploymentError, type InferredOptions } from './reading/infer-deployment.js';
export type { Group } from './reading/record-group.js';
export { parseRecord, type Deprecation, type LoadFailure, type LogRecord } from './log/line.js';
export { formatDeprecation, formatDescriptor, formatLoadFailure } from './log/record.js';
export { formatTimestamp, formatUtcOffset, stampAt, type Stamp } from './log/timestamp.js';
export type { Counted, LinePlace, LinePlaces } from './reading/line-places.js';
export {
  findFirstGroup,
  readLoggedLines,
  readLoggedRecords,
  readLoggedRequests,
  parse,
  type ForeignOptions,
  type ParseOptions,
} from './reading/parse.js';
export type { ForeignLine, ReadLogOptions } from './reading/log-reader.js';
export type { LoggedForeignLine, LoggedLine, LoggedRecord, RecordAtLine } from './reading/logged-lines.js';
export type { LoggedRequest } from './reading/whole-group.js';
export { LogFiles, type EnvelopeOptions, type LogBytes, type LogFile } from './reading/log-files.js';
export type { ForeignAction, PassedOver } from './reading/passed-over.js';
export { replay, type ReplayOptions } from './output/replay.js';
export { renderGroups } from './output/log-pieces.js';
export { readAccessLog, type AccessLogOptions, type SkipReason } from './requests/access-log/read-access-log.js';
export { readRequestList, type RequestListOptions } from './requests/list/read-list.js';
export { orderRequests, type Order, type OrderOptions } from './requests/order.js';
export type { Time } from './requests/instant.js';
export type { Profile } from './requests/synth/traffic.js';
export type { Arrivals } from './requests/synth/arrivals.js';
export { synthesize, type SynthesizeOptions } from './requests/synth/synthesize.js';
export type { TargetShare } from './requests/synth/weighted-targets.js';
export {
  stats,
  type BucketCount,
  type BusiestStretch,
  type LogStats,
  type StatsPlace,
  type TextCount,
} from './stats/log-stats.js';
export type { ListedRequest } from './requests/request.js';
export { BadRowError, CallError, DataError, type NameOption, type Phrase, type Place } from './errors.js';
export { injectFaults, type BrokenStretch, type FaultOptions } from './faults/inject-faults.js';
export { formatFault, type Fault, type FaultDetails } from './faults/fault.js';
export type { FaultKind, FaultRates, ForeignRecord, RealRecord } from './faults/kinds.js';
