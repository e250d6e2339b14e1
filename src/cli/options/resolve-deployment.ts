import { closeSync, openSync, readSync } from 'node:fs';
import { CallError, explainSystemError } from '../../errors.js';
import { DeploymentError, parseDeployment, type Deployment } from '../../log/deployment.js';
import { quoteText } from '../../wording.js';
import type { RawDeploymentOptions } from './deployment-options.js';

/** A deployment file is a handful of lines; what is larger is something else. */
const MAX_FILE_BYTES = 1 << 20;

/** @throws CallError that names the key or the flag at fault */
export function resolveDeployment(raw: RawDeploymentOptions): Deployment {
  const fromFile = raw.deployment === undefined ? undefined : readDeploymentFile(raw.deployment);
  const { installRoot, timezone, plugins, dialect } = raw;
  const flags = { installRoot, timezone, plugins: plugins?.split(','), dialect };
  const given = new Map(Object.entries({ installRoot, timezone, plugins, dialect }));
  try {
    return parseDeployment(flags, fromFile);
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    const flag = error.key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const value = quoteText(given.get(error.key) ?? '');
    throw new CallError({ source: `--${flag}` }, `${value} ${error.problem}`, error.remedy, { cause: error });
  }
}

function readDeploymentFile(path: string): Deployment {
  const text = decode(readBounded(path), path);
  let options: unknown;
  try {
    options = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? quoteText(error.message) : '';
    throw new CallError(
      { source: path },
      `the deployment file is no JSON: ${detail}`,
      'write it as {"installRoot": "/srv/mail"}',
      {
        cause: error,
      },
    );
  }
  try {
    return parseDeployment(options);
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw new CallError({ source: path }, `${quoteText(error.key)} ${error.problem}`, error.remedy, { cause: error });
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CallError({ source: path }, 'the deployment file is no UTF-8', 'save it as UTF-8', { cause: error });
  }
}

function readBounded(path: string): Uint8Array {
  const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
  let length = 0;
  try {
    const fd = openSync(path, 'r');
    try {
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(fd, bytes, length, bytes.length - length, null);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw explainSystemError(error, path);
  }
  if (length > MAX_FILE_BYTES) {
    throw new CallError({ source: path }, 'the deployment file is larger than 1 MiB', 'check that it is the right file');
  }
  return bytes.subarray(0, length);
}
