import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import { isObject } from '../../arguments.js';
import { CallError, explainSystemError, refuseOption } from '../../errors.js';
import { driverIn, requireTimed } from '../../envelope/envelopes.js';
import { readStart } from '../../input/input.js';
import { DEPLOYMENT_KEYS, DeploymentError, DIALECTS, parseDeployment, type Driver } from '../../log/deployment.js';
import { quoteText } from '../../wording.js';
import type { Given, Options } from './option.js';
import { ENVELOPE_NAME, FOLDER, freeValue, oneOf, ZONE } from './values.js';

const PAGE = 'format.md#deployment';

export const DEPLOYMENT = {
  deployment: {
    value: { placeholder: 'file.json', completes: 'files', kinds: DEPLOYMENT_KEYS, parse: readDeploymentFile },
    meaning: 'JSON file with what is fixed per installation',
    page: PAGE,
  },
  installRoot: {
    value: FOLDER,
    meaning: 'where the webmail is installed',
    otherwise: DEPLOYMENT_KEYS.installRoot.default,
    page: PAGE,
  },
  timezone: { value: ZONE, meaning: 'IANA zone of the log', otherwise: DEPLOYMENT_KEYS.timezone.default, page: PAGE },
  plugins: {
    value: freeValue('a,b,c', (_key, text) => text.split(',')),
    meaning: 'plugins that fail to load, in order',
    otherwise: 'the seven of the specification',
    page: PAGE,
  },
  dialect: {
    value: oneOf('dialect', DIALECTS),
    meaning: `${DEPLOYMENT_KEYS.dialect.default} (default), or php: two spaces after "Deprecated:"`,
    page: PAGE,
  },
} satisfies Options;

/** Resolves the deployment: flags over the file, over the defaults. Gives the file, too: the output must be another one. @throws CallError */
export function resolveDeployment(
  { deployment: file, installRoot, timezone, plugins, dialect }: Given<typeof DEPLOYMENT>,
  driver?: Driver,
) {
  const given = Object.entries({ installRoot, timezone, plugins, dialect }).filter(([, value]) => value !== undefined);
  const flags = Object.fromEntries(given);
  try {
    const usedFiles = file === undefined ? [] : [{ stats: file.stats, role: 'deployment' } as const];
    return { deployment: parseDeployment({ driver, ...file?.options, ...flags }), usedFiles };
  } catch (error) {
    if (!(error instanceof DeploymentError)) throw error;
    throw refuseOption(error.key, String(flags[error.key] ?? ''), error.problem, error.remedy, { cause: error });
  }
}

export const ENVELOPE = {
  envelope: {
    value: ENVELOPE_NAME,
    meaning: 'put each record in what containers or syslog put around it',
    otherwise: 'none',
    page: 'containers.md',
  },
} satisfies Options;

/** Resolves the deployment of a log that is written, and its envelope. @param isList true for its list of requests, which needs no time of an envelope */
export function resolveWrittenSite(options: Given<typeof DEPLOYMENT> & Given<typeof ENVELOPE>, isList = false) {
  const envelope = options.envelope === 'none' ? undefined : options.envelope;
  const site = resolveDeployment(options, driverIn(envelope));
  // Only a file names a driver.
  if (!isList) requireTimed(site.deployment, envelope, options.deployment?.path);
  return { ...site, envelope };
}

const MAX_FILE_BYTES = 1 << 20;

/**
 * Reads the options of a deployment from a JSON file. Flags change the defaults of other keys, so what the file gives is kept, not the
 * deployment that it makes.
 * @throws CallError that names the file, and the key at fault
 */
function readDeploymentFile(_key: string, path: string) {
  const refuse = (problem: string, remedy: string, cause?: unknown): CallError =>
    new CallError({ source: path }, problem, remedy, { cause });
  try {
    const stats = statSync(path);
    const bytes = readStart(path, MAX_FILE_BYTES);
    if (!isUtf8(bytes)) throw refuse('the deployment file is not UTF-8', 'save it as UTF-8');
    // Decoded without its byte order mark.
    const options: unknown = JSON.parse(new TextDecoder().decode(bytes));
    parseDeployment(options);
    return { path, stats, options: isObject(options) ? options : {} };
  } catch (error) {
    if (error instanceof DeploymentError) throw refuse(`${quoteText(error.key)} ${error.problem}`, error.remedy, error);
    if (!(error instanceof SyntaxError)) throw explainSystemError(error, path);
    const problem = `the deployment file is not JSON: ${quoteText(error.message)}`;
    throw refuse(problem, 'write it as {"installRoot": "/srv/mail"}', error);
  }
}
