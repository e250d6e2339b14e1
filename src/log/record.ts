import { isFieldText } from './byte-string.js';
import { requireDeployment, type Deployment, type Dialect } from './deployment.js';
import type { Stamp } from './timestamp.js';

/** The severity that follows `<runtime_tag>` and a space in each kind of record, before a colon (2.1, 2.2). */
export const SEVERITIES = { load_failure: 'Error', deprecation: 'Deprecated' } as const;

/** The message of a load failure, before `<plugin_file_path>` (2.1, 7). */
export const LOAD_FAILURE = 'Failed to load plugin file ';

/** The message of a deprecation record (2.2, 7). */
export const HANDLER_NOTICE =
  'session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated';

/**
 * The most bytes of a record: a target of 1 MiB, and eight texts of a deployment of 4 KiB each. Readers drop a longer line, which is not a
 * record.
 */
export const MAX_RECORD_BYTES = (1 << 20) + (1 << 16);

/** The spaces after `Deprecated:` in each dialect. */
export const DIALECT_GAPS = { spec: ' ', php: '  ' } as const satisfies Record<Dialect, string>;

/** The text after `<runtime_tag>` that all records of a kind share. */
export const AFTER_RUNTIME_TAG = {
  load_failure: ` ${SEVERITIES.load_failure}: ${LOAD_FAILURE}`,
  deprecation: ` ${SEVERITIES.deprecation}:`,
} as const;

/** The index at which `<timestamp>` begins in a record of either kind. */
export const TIMESTAMP_AT = '['.length;

/** The index behind `<timestamp>` in a record of either kind. */
export const TIMESTAMP_END = '[DD-Mon-YYYY HH:MM:SS'.length;

/** The index at which `<utc_offset>` begins in a load-failure record, and `<timezone_name>` in a deprecation record. */
export const ZONE_AT = TIMESTAMP_END + ' '.length;

/** The index behind `<utc_offset>` in a load-failure record. */
export const UTC_OFFSET_END = ZONE_AT + '+HHMM'.length;

/**
 * The request descriptor that ends a load-failure record, without its parentheses (2.4):
 *
 *     <http_method> <request_target>
 *
 * Method and target are byte strings: each character stands for one byte.
 *
 * @throws RangeError for an empty method or target, and for bytes other than 0x21 to 0xFF without 0x7F, which could forge a record
 */
export function formatDescriptor(method: string, target: string): string {
  requireTexts(method, target);
  requireFields(method, target);
  return joinDescriptor(method, target);
}

/** Refuses texts that `formatDescriptor` refuses. @throws RangeError */
export function requireFields(method: string, target: string): void {
  if (method !== '' && target !== '' && isFieldText(method) && isFieldText(target)) return;
  throw new RangeError('a method or a target holds other than bytes 0x21 to 0xFF less 0x7F; percent-encode it, or encodeText it');
}

/** Refuses values that are not strings: callers without types may pass anything. @throws TypeError that names `method` or `target` */
export function requireTexts(method: unknown, target: unknown): void {
  if (typeof method !== 'string') throw new TypeError('method is not a string; give one such as GET');
  if (typeof target !== 'string') throw new TypeError('target is not a string; give a path such as /mail/');
}

/** `formatDescriptor` without its checks, for a method and a target read from a record. */
export function joinDescriptor(method: string, target: string): string {
  return `${method} ${target}`;
}

/** The fields of a load-failure record without its descriptor (2.1); texts are byte strings. */
export interface LoadFailureFields extends Stamp {
  readonly runtimeTag: string;
  readonly pluginFilePath: string;
  readonly pluginLoaderFilePath: string;
  readonly lineNumber: number;
}

/** The fields of a deprecation record (2.2); texts are byte strings. */
export interface DeprecationFields {
  readonly timestamp: string;
  readonly timezoneName: string;
  readonly runtimeTag: string;
  readonly sessionFilePath: string;
  readonly lineNumber: number;
  readonly dialect: Dialect;
}

/**
 * A load-failure record (2.1), without an LF at its end:
 *
 *     [<timestamp> <utc_offset>]: <runtime_tag> Error: Failed to load plugin file <plugin_file_path> in <plugin_loader_file_path> on line <line_number> (<http_method> <request_target>)
 *
 * @param descriptor the result of `formatDescriptor` or `joinDescriptor`
 */
export function joinLoadFailure(fields: LoadFailureFields, descriptor: string): string {
  const { timestamp, utcOffset, runtimeTag, pluginFilePath, pluginLoaderFilePath, lineNumber } = fields;
  return (
    `[${timestamp} ${utcOffset}]: ${runtimeTag}${AFTER_RUNTIME_TAG.load_failure}${pluginFilePath}` +
    ` in ${pluginLoaderFilePath} on line ${String(lineNumber)} (${descriptor})`
  );
}

/**
 * A deprecation record (2.2), without an LF at its end:
 *
 *     [<timestamp> <timezone_name>] <runtime_tag> Deprecated: session_set_save_handler(): Providing individual callbacks instead of an object implementing SessionHandlerInterface is deprecated in <session_file_path> on line <line_number>
 *
 * In the `php` dialect two spaces follow `Deprecated:`, as PHP writes them.
 */
export function joinDeprecation(fields: DeprecationFields): string {
  const { timestamp, timezoneName, runtimeTag, sessionFilePath, lineNumber, dialect } = fields;
  return (
    `[${timestamp} ${timezoneName}] ${runtimeTag}${AFTER_RUNTIME_TAG.deprecation}${DIALECT_GAPS[dialect]}${HANDLER_NOTICE}` +
    ` in ${sessionFilePath} on line ${String(lineNumber)}`
  );
}

/** The fields that the deployment fixes in the load-failure record of one of its plugins (2.1). */
export function loadFailureFields(deployment: Deployment, plugin: string): Omit<LoadFailureFields, keyof Stamp> {
  const { runtimeTag, loaderPath, loaderLine } = deployment;
  const pluginFilePath = pluginFilePathOf(plugin, deployment);
  return { runtimeTag, pluginFilePath, pluginLoaderFilePath: loaderPath, lineNumber: loaderLine };
}

/** The `<plugin_file_path>` of a plugin (2.1). */
export function pluginFilePathOf(
  plugin: string,
  { pluginsFolder, scriptExtension }: Pick<Deployment, 'pluginsFolder' | 'scriptExtension'>,
): string {
  return `${pluginsFolder}/${plugin}/${plugin}.${scriptExtension}`;
}

/** The fields that the deployment fixes in a deprecation record (2.2). */
export function deprecationFields(deployment: Deployment): Omit<DeprecationFields, 'timestamp'> {
  const { runtimeTag, sessionPath, sessionLine, timezone, dialect } = deployment;
  return { timezoneName: timezone, runtimeTag, sessionFilePath: sessionPath, lineNumber: sessionLine, dialect };
}

/**
 * The load-failure record of a deployment's plugin (2.1), without an LF at its end.
 *
 * @param plugin one of the deployment's plugins
 * @param descriptor the result of `formatDescriptor`
 */
export function formatLoadFailure(stamp: Stamp, plugin: string, descriptor: string, deployment: Deployment): string {
  requireDeployment(deployment);
  const { timestamp, utcOffset } = stamp;
  return joinLoadFailure({ timestamp, utcOffset, ...loadFailureFields(deployment, plugin) }, descriptor);
}

/** The deprecation record of a deployment (2.2), without an LF at its end. @param stamp only its timestamp is shown */
export function formatDeprecation({ timestamp }: Pick<Stamp, 'timestamp'>, deployment: Deployment): string {
  requireDeployment(deployment);
  return joinDeprecation({ timestamp, ...deprecationFields(deployment) });
}
