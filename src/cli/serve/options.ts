import type { Command } from 'commander';
import { CallError, refuseOption } from '../../errors.js';
import type { Deployment } from '../../log/deployment.js';
import type { UsedFile } from '../../output/log-file.js';
import { addDeploymentOptions, resolveDeployment } from '../options/deployment.js';
import { findWholeNumber } from '../options/numbers.js';
import type { OptionsOf } from '../options/options-of.js';
import { OUTPUT_OPTION, resolveOutputFile } from '../options/output-file.js';
import { QUIET_OPTION } from '../options/quiet.js';
import { resolvePrefixes } from '../options/prefixes.js';

const MAX_PORT = 65_535;

/** Adds the options of `serve`. */
export function addServeOptions(command: Command) {
  const withOwn = command
    .option('--host <host>', 'name or address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '8080')
    .option('--prefixes <a,b,c>', 'the paths under which the webmail is mounted', 'mail,poczta,webmail')
    .addOption(OUTPUT_OPTION)
    .addOption(QUIET_OPTION);
  return addDeploymentOptions(withOwn);
}

/** The options as given. */
type RawServeOptions = OptionsOf<typeof addServeOptions>;

/** The options as meant. */
export interface ServeRunOptions {
  readonly host: string;
  /** 0 for any port that is free. */
  readonly port: number;
  readonly prefixes: readonly string[];
  readonly deployment: Deployment;
  /** The files that the options were read from. */
  readonly usedFiles: readonly UsedFile[];
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Resolves the options of `serve`. @throws CallError that names the option at fault */
export function resolveServe(raw: RawServeOptions): ServeRunOptions {
  const host = resolveHost(raw.host);
  const port = parsePort(raw.port);
  const prefixes = resolvePrefixes(raw.prefixes);
  return {
    host,
    port,
    prefixes,
    ...resolveDeployment(raw),
    outputFile: resolveOutputFile(raw.output),
    quiet: raw.quiet === true,
  };
}

/** An IPv6 address may be given in brackets, as in a URL: node:net takes no brackets. */
function resolveHost(host: string): string {
  // node:net would listen on all addresses.
  if (host === '') throw new CallError({ source: '--host' }, 'it is empty', 'give a name or an address of this machine');
  return host.replace(/^\[(.*)\]$/, '$1');
}

function parsePort(text: string): number {
  const port = findWholeNumber(text);
  if (port !== undefined && port <= MAX_PORT) return port;
  throw refuseOption('--port', text, 'is no port', 'give a number from 0 to 65535');
}
