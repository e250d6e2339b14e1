/** The library: the log's records and groups as pure functions, request lists, and groups as a stream of bytes. */
export { encodeText } from './log/byte-string.js';
export { createDeployment, DeploymentError, parseDeployment } from './log/deployment.js';
export type { Deployment, DeploymentOptions, Dialect } from './log/deployment.js';
export { formatGroup, GroupRenderer } from './log/group.js';
export type { LogRequest } from './log/group.js';
export { formatDeprecation, formatDescriptor, formatLoadFailure } from './log/record.js';
export { formatTimestamp, formatUtcOffset, stampAt } from './log/timestamp.js';
export type { Stamp } from './log/timestamp.js';
export { renderGroups } from './output/pack-groups.js';
export type { RequestBatches } from './output/pack-groups.js';
export { readRequestList } from './requests/csv.js';
export type { RequestListOptions } from './requests/csv.js';
export { orderRequests } from './requests/order.js';
export type { LogEnd, Order, OrderOptions } from './requests/order.js';
export type { ListedRequest } from './requests/request.js';
export { BadRowError, DataError } from './errors.js';
export type { Place } from './errors.js';
