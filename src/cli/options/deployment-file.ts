import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { CallError, explainSystemError } from '../../errors.js';
import { DeploymentError, parseDeployment, type Deployment } from '../../log/deployment.js';
import { quoteText } from '../../wording.js';

/** A deployment file is a handful of lines; a larger file is something else. */
const MAX_FILE_BYTES = 1 << 20;

/** A deployment, and the file that holds it. */
interface DeploymentFile {
  readonly deployment: Deployment;
  readonly stats: Stats;
}

/** Reads a deployment from a JSON file. @throws CallError that names the file, and the key at fault */
export function readDeploymentFile(path: string): DeploymentFile {
  const { bytes, stats } = readBounded(path);
  const options = parseJson(decode(bytes, path), path);
  try {
    return { deployment: parseDeployment(options), stats };
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw new CallError({ source: path }, `${quoteText(error.key)} ${error.problem}`, error.remedy, { cause: error });
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? quoteText(error.message) : '';
    const problem = `the deployment file is not JSON: ${detail}`;
    throw new CallError({ source: path }, problem, 'write it as {"installRoot": "/srv/mail"}', { cause: error });
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CallError({ source: path }, 'the deployment file is not UTF-8', 'save it as UTF-8', { cause: error });
  }
}

function readBounded(path: string): { readonly bytes: Uint8Array; readonly stats: Stats } {
  const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
  let length = 0;
  let stats: Stats;
  try {
    const fd = openSync(path, 'r');
    try {
      stats = fstatSync(fd);
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
  return { bytes: bytes.subarray(0, length), stats };
}
