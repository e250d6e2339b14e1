import { isFieldText } from './byte-string.js';
import { requireDeployment, type Deployment } from './deployment.js';
import { createWriter, type FieldsOf } from './fields.js';
import type { Stamp } from './timestamp.js';

/** A target of 1 MiB, and eight texts of a deployment of 4 KiB each. A longer line is not a record. */
export const MAX_RECORD_BYTES = (1 << 20) + (1 << 16);

export const TIMESTAMP_AT = '['.length;
export const TIMESTAMP_END = '[DD-Mon-YYYY HH:MM:SS'.length;
/** The index of `<utc_offset>` in a load failure, and of `<timezone_name>` in a deprecation record. */
export const ZONE_AT = TIMESTAMP_END + ' '.length;
export const UTC_OFFSET_END = ZONE_AT + '+HHMM'.length;

/**
 * The request descriptor that ends a load-failure record, without its parentheses (2.4):
 *
 *     <http_method> <request_target>
 *
 * Method and target are byte strings: each character stands for one byte.
 * @throws RangeError for an empty method or target, and for bytes other than 0x21 to 0xFF without 0x7F, which could forge a record
 */
export function formatDescriptor(method: string, target: string): string {
  requireDescriptor(method, target);
  return `${method} ${target}`;
}

/** Callers without types may pass anything. @throws TypeError, and RangeError for texts that could forge a record */
export function requireDescriptor(method: unknown, target: unknown): void {
  if (typeof method !== 'string') throw new TypeError('method is not a string; give one such as GET');
  if (typeof target !== 'string') throw new TypeError('target is not a string; give a path such as /mail/');
  if (method !== '' && target !== '' && isFieldText(method) && isFieldText(target)) return;
  throw new RangeError('a method or a target holds other than bytes 0x21 to 0xFF less 0x7F; percent-encode it, or encodeText it');
}

export const joinLoadFailure = createWriter('load_failure');
export const joinDeprecation = createWriter('deprecation');

export type LoadFailureConstants = Omit<FieldsOf<'load_failure'>, keyof Stamp | 'sessionId' | 'httpMethod' | 'requestTarget'>;

type DeprecationConstants = Omit<FieldsOf<'deprecation'>, 'timestamp'>;

export function loadFailureFields(deployment: Deployment, plugin: string): LoadFailureConstants {
  const { runtimeTag, loaderPath, loaderLine } = deployment;
  const pluginFilePath = pluginFilePathOf(plugin, deployment);
  return { runtimeTag, pluginFilePath, pluginLoaderFilePath: loaderPath, lineNumber: loaderLine };
}

export function pluginFilePathOf(
  plugin: string,
  { pluginsFolder, scriptExtension }: Pick<Deployment, 'pluginsFolder' | 'scriptExtension'>,
): string {
  return `${pluginsFolder}/${plugin}/${plugin}.${scriptExtension}`;
}

export function deprecationFields(deployment: Deployment): DeprecationConstants {
  const { runtimeTag, sessionPath, sessionLine, timezone, dialect } = deployment;
  return { timezoneName: timezone, runtimeTag, sessionFilePath: sessionPath, lineNumber: sessionLine, dialect };
}

/**
 * The load-failure record of a deployment's plugin (2.1), without an LF at its end.
 * @param plugin one of the deployment's plugins
 * @param descriptor the result of `formatDescriptor`
 */
export function formatLoadFailure(stamp: Stamp, plugin: string, descriptor: string, deployment: Deployment): string {
  requireDeployment(deployment);
  const [httpMethod = '', requestTarget = ''] = descriptor.split(' ');
  return joinLoadFailure({ ...stamp, ...loadFailureFields(deployment, plugin), httpMethod, requestTarget });
}

/** The deprecation record of a deployment (2.2), without an LF at its end. @param stamp only its timestamp is shown */
export function formatDeprecation({ timestamp }: Pick<Stamp, 'timestamp'>, deployment: Deployment): string {
  requireDeployment(deployment);
  return joinDeprecation({ timestamp, ...deprecationFields(deployment) });
}
