import type { Deployment } from '../../log/deployment.js';
import type { LogRequest } from '../../log/group.js';
import type { Stamp } from '../../log/timestamp.js';
import { pathOf } from '../../requests/target.js';

/** The group before a foreign record. */
export interface GroupBefore {
  readonly request: LogRequest;
  readonly stamp: Stamp;
  readonly deployment: Deployment;
}

/** The folder that the application is in: that above `program` in the path of the plugin loader. */
export function rootOf({ installRoot, loaderPath }: Deployment): string {
  const end = loaderPath.lastIndexOf('/program/');
  return end === -1 ? installRoot : loaderPath.slice(0, end);
}

/** The folder of the application's library files. */
export function libraryOf({ deployment }: GroupBefore): string {
  return `${rootOf(deployment)}/program/lib/${deployment.library}`;
}

/**
 * A record that the application writes, without an LF at its end:
 *
 *     [<timestamp> <utc_offset>]: <<session>> <type> Error: <message> (<descriptor>)
 *
 * @param session the first 8 characters of the session's id
 * @param type `PHP`, `IMAP`, `SMTP` or `DB`
 * @param message may end in ` in <file> on line <line>`
 */
export function formatRoundcube(
  { stamp: { timestamp, utcOffset } }: GroupBefore,
  session: string,
  type: string,
  message: string,
  descriptor: string,
): string {
  return `[${timestamp} ${utcOffset}]: <${session}> ${type} Error: ${message} (${descriptor})`;
}

/**
 * A record that PHP itself writes, without an LF at its end:
 *
 *     [<timestamp> <timezone_name>] PHP <severity>:  <message>
 *
 * @param severity `Warning`, `Fatal error`, …
 */
export function formatPhp(
  { stamp: { timestamp }, deployment: { timezone } }: GroupBefore,
  severity: string,
  message: string,
): string {
  return `[${timestamp} ${timezone}] PHP ${severity}:  ${message}`;
}

/** A path that begins with a plain first segment. */
const PREFIX = /^\/[A-Za-z0-9._~-]{1,64}\//;

/** The descriptor of a form sent to the same application: the target of a POST has the fields of the body. */
export function formDescriptorOf({ target }: LogRequest, query: string): string {
  const [prefix = '/'] = PREFIX.exec(pathOf(target)) ?? [];
  return `POST ${prefix}?${query}`;
}
