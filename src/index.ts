/** The library: the commands as functions on streams and iterables, and what they are built from: records, groups, requests, readers. */
export { canary } from './canary/canary.js';
export type { Canary, CanaryOptions } from './canary/canary.js';
export type { CanaryFinding, CanaryKind, CanarySnapshot } from './canary/findings.js';
export { check } from './check/check.js';
export type { CheckFinding } from './check/check.js';
export type { CheckOptions, CheckResult } from './check/check-log.js';
export type { Rule } from './check/rules.js';
export { compareLogs } from './compare/compare-logs.js';
export type { ComparedSource, CompareOptions, ComparisonOptions } from './compare/options.js';
export type { ComparisonFinding, ComparisonSummary, FindingKind, FormMismatch } from './compare/findings.js';
export type { FieldName } from './compare/fields.js';
export type { ReadAt } from './compare/spilled-texts.js';
export { exportRecords } from './export/render-documents.js';
export type { ExportOptions } from './export/render-documents.js';
export type { DocumentFormName } from './export/forms.js';
export type { DeliveredRecords, DeliveryFinding, DeliverySummary } from './findings/delivery.js';
export type { FindingCounts } from './findings/finding-counts.js';
export type { FollowedLatency, LatencySummary } from './findings/latencies.js';
export type { Chunks } from './lines.js';
export { encodeText } from './log/byte-string.js';
export type { EnvelopeChoice, EnvelopeName } from './envelope/envelopes.js';
export { createDeployment, DeploymentError, parseDeployment } from './log/deployment.js';
export type { Deployment, DeploymentOptions, Dialect, Driver } from './log/deployment.js';
export { formatGroup, GroupRenderer } from './log/group.js';
export type { Batches, LogRequest } from './log/group.js';
export { inferDeploymentOptions, NoDeploymentError } from './reading/infer-deployment.js';
export type { InferredOptions } from './reading/infer-deployment.js';
export type { Group } from './reading/record-group.js';
export { parseRecord } from './log/line.js';
export type { Deprecation, LoadFailure, LogRecord } from './log/line.js';
export { formatDeprecation, formatDescriptor, formatLoadFailure } from './log/record.js';
export { formatTimestamp, formatUtcOffset, stampAt } from './log/timestamp.js';
export type { Stamp } from './log/timestamp.js';
export type { Counted } from './reading/line-places.js';
export { findFirstGroup, readLoggedLines, readLoggedRecords, readLoggedRequests } from './reading/parse.js';
export type { ForeignLine } from './reading/log-reader.js';
export type { LoggedForeignLine, LoggedLine, LoggedRecord, RecordAtLine } from './reading/logged-lines.js';
export type { LoggedRequest } from './reading/whole-group.js';
export { LogFiles } from './reading/log-files.js';
export type { EnvelopeOptions } from './reading/log-files.js';
export type { LogBytes, LogFile } from './reading/log-files.js';
export type { LinePlace, LinePlaces } from './reading/line-places.js';
export type { ForeignAction, PassedOver } from './reading/passed-over.js';
export type { ReadLogOptions } from './reading/log-reader.js';
export { parse } from './reading/parse.js';
export type { ForeignOptions, ParseOptions } from './reading/parse.js';
export { replay } from './output/replay.js';
export type { ReplayOptions } from './output/replay.js';
export { renderGroups } from './output/log-pieces.js';
export { readAccessLog } from './requests/access-log/read-access-log.js';
export type { AccessLogOptions, SkipReason } from './requests/access-log/read-access-log.js';
export { readRequestList } from './requests/list/read-list.js';
export { orderRequests } from './requests/order.js';
export type { Order, OrderOptions } from './requests/order.js';
export type { Time } from './requests/instant.js';
export type { Profile } from './requests/synth/traffic.js';
export type { Arrivals } from './requests/synth/arrivals.js';
export { synthesize } from './requests/synth/synthesize.js';
export type { SynthesizeOptions } from './requests/synth/synthesize.js';
export type { TargetShare } from './requests/synth/weighted-targets.js';
export { stats } from './stats/log-stats.js';
export type {
  BucketCount,
  BusiestStretch,
  LogStats,
  MessageCount,
  MethodCount,
  StatsPlace,
  TargetCount,
} from './stats/log-stats.js';
export type { ListedRequest } from './requests/request.js';
export type { RequestListOptions } from './requests/list/read-list.js';
export { BadRowError, CallError, DataError } from './errors.js';
export type { NameOption, Phrase, Place } from './errors.js';
export { injectFaults } from './faults/inject-faults.js';
export type { BrokenStretch, FaultOptions } from './faults/inject-faults.js';
export { formatFault } from './faults/fault.js';
export type { Fault, FaultDetails } from './faults/fault.js';
export type { ForeignRecord, RealRecord } from './faults/foreign/kinds.js';
export type { FaultKind } from './faults/kinds.js';
export type { FaultRates } from './faults/rates.js';
