/** The library: the log's records and groups as pure functions, request lists, and groups as a stream of bytes. */
export { encodeText } from './log/byte-string.js';
export { createDeployment, DeploymentError, parseDeployment } from './log/deployment.js';
export type { Deployment, DeploymentOptions } from './log/deployment.js';
export type { Dialect } from './log/dialect.js';
export { formatGroup, GroupRenderer } from './log/group.js';
export type { Batches, LogRequest } from './log/group.js';
export { formatDeprecation, formatDescriptor, formatLoadFailure } from './log/record.js';
export { formatTimestamp, formatUtcOffset, stampAt } from './log/timestamp.js';
export type { Stamp } from './log/timestamp.js';
export { renderGroups } from './output/pack-groups.js';
export { readRequestList } from './requests/csv.js';
export { orderRequests } from './requests/order.js';
export type { OrderOptions } from './requests/order.js';
export type { Order } from './requests/orders.js';
export type { ListedRequest } from './requests/request.js';
export type { RequestListOptions } from './requests/row-reader.js';
export { BadRowError, DataError } from './errors.js';
export type { Place } from './errors.js';
