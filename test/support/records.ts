import { createDeployment, type Deployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';

/** A load-failure record (2.1), without its LF. */
export const FAILURE =
  '[18-May-2025 12:00:00 +0200]: PHP Error: Failed to load plugin file /r/plugins/carddav/carddav.php in /r/program/lib/Roundcube/rcube_plugin_api.php on line 193 (GET /mail/)';

/** A deprecation record (2.2) of the same second, without its LF. */
export const DEPRECATION =
  '[18-May-2025 12:00:00 Europe/Warsaw] PHP Deprecated: session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated in /r/program/lib/Roundcube/rcube_session.php on line 119';

/** The second of those records, 2025-05-18T10:00:00Z. */
export const SECOND = 1_747_562_400;

const SPECIFIED = createDeployment();

/** The group of a GET request at a second: a byte string. */
export function groupAt(second: number, target = '/mail/', site: Deployment = SPECIFIED): string {
  return formatGroup({ millisecond: second * 1000, method: 'GET', target }, site);
}

export const ROW = `${String(SECOND)},/mail/\n`;
export const GROUP = groupAt(SECOND);
