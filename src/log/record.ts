import { isFieldText } from './byte-string.js';
import type { Deployment } from './deployment.js';
import type { Stamp } from './timestamp.js';

/** What stands between `<runtime_tag>` and `<plugin_file_path>` in a load-failure record (2.1). */
export const LOAD_FAILURE = ' Error: Failed to load plugin file ';

/** What follows `<runtime_tag>` in a deprecation record (2.2), and, after one or two spaces, what stands before `<session_file_path>`. */
export const DEPRECATED = ' Deprecated:';
export const HANDLER_NOTICE =
  'session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated in ';

/** How many spaces follow `Deprecated:` in each dialect. */
export const DIALECT_GAPS = { spec: ' ', php: '  ' } as const;

/**
 * The request descriptor that ends a load-failure record, without its parentheses (2.4):
 *
 *     <http_method> <request_target>
 *
 * Both are byte strings: each character stands for one byte.
 *
 * @throws RangeError if one of them is empty or holds anything but bytes from 0x21 to 0xFF less 0x7F: it could forge a record
 */
export function formatDescriptor(method: string, target: string): string {
  for (const part of [method, target]) {
    if (part === '' || !isFieldText(part)) {
      throw new RangeError(
        'a method or a target holds other than bytes 0x21 to 0xFF less 0x7F; percent-encode it, or encodeText it',
      );
    }
  }
  return `${method} ${target}`;
}

/**
 * A load-failure record (2.1), without an LF at its end:
 *
 *     [<timestamp> <utc_offset>]: <runtime_tag> Error: Failed to load plugin file <plugin_file_path> in <plugin_loader_file_path> on line <line_number> (<http_method> <request_target>)
 *
 * @param plugin one of the deployment's plugins
 * @param descriptor what `formatDescriptor` gives
 */
export function formatLoadFailure(stamp: Stamp, plugin: string, descriptor: string, deployment: Deployment): string {
  const { installRoot, runtimeTag, scriptExtension, library, loaderFile, loaderLine } = deployment;
  const pluginPath = `${installRoot}/plugins/${plugin}/${plugin}.${scriptExtension}`;
  const loaderPath = `${installRoot}/program/lib/${library}/${loaderFile}`;
  return (
    `[${stamp.timestamp} ${stamp.utcOffset}]: ${runtimeTag}${LOAD_FAILURE}${pluginPath}` +
    ` in ${loaderPath} on line ${String(loaderLine)} (${descriptor})`
  );
}

/**
 * A deprecation record (2.2), without an LF at its end:
 *
 *     [<timestamp> <timezone_name>] <runtime_tag> Deprecated: session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated in <session_file_path> on line <line_number>
 *
 * In the `php` dialect two spaces follow `Deprecated:`, as PHP writes them.
 */
export function formatDeprecation(stamp: Pick<Stamp, 'timestamp'>, deployment: Deployment): string {
  const { installRoot, runtimeTag, library, sessionFile, sessionLine, timezone, dialect } = deployment;
  const sessionPath = `${installRoot}/program/lib/${library}/${sessionFile}`;
  return (
    `[${stamp.timestamp} ${timezone}] ${runtimeTag}${DEPRECATED}${DIALECT_GAPS[dialect]}${HANDLER_NOTICE}` +
    `${sessionPath} on line ${String(sessionLine)}`
  );
}
