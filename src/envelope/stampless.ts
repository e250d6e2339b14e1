import type { Driver } from '../log/deployment.js';
import { HANDLER_NOTICE } from '../log/fields.js';
import type { EnvelopeMoment } from './envelope-time.js';

/** The name of the log, which the driver `stdout` writes before a record of the webmail, in place of its stamp. */
export const LOG_NAME = 'errors: ';

/** The beginning of a message of the webmail or of PHP without a stamp: `<session id> TAG Error: `, `PHP Warning:  `. */
const MESSAGE = /^(?:<[0-9A-Za-z,-]+> )?[^\s[\]<>:]+ (?:(?:[A-Z][a-z]+ )?[Ee]rror|Warning|Notice|Deprecated):(?: ?) /;

/** A record with the stamp that the file driver writes before it, and the driver that wrote it. */
interface Stamped {
  readonly text: string;
  readonly driver: Exclude<Driver, 'file'>;
}

/**
 * Gives a record of a driver without stamps the one that the file driver writes. Undefined for any other text, a byte string: a record with
 * a stamp, the line of a stack trace.
 */
export function stampRecord(text: string, { webmail, php }: EnvelopeMoment): Stamped | undefined {
  if (text.startsWith(LOG_NAME)) return { text: webmail + text.slice(LOG_NAME.length), driver: 'stdout' };
  const [beginning] = MESSAGE.exec(text) ?? [];
  if (beginning === undefined) return undefined;
  // PHP puts two spaces after the severity; in the dialect of the specification it puts one.
  const isOfPhp = beginning.endsWith('  ') || text.startsWith(HANDLER_NOTICE, beginning.length);
  return { text: (isOfPhp ? php : webmail) + text, driver: 'syslog' };
}
