import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/run.js';
import { endProgram, startProgram } from './programs.js';

/** A collector, run with its configuration of `parsers/` and with all paths in one folder. */
export interface Collector {
  readonly name: string;
  readonly needs: readonly string[];
  /** The path of its configuration from the project's folder on. */
  readonly configuration: string;
  /** Changes the text of the configuration; left out, it is run as it is. */
  readonly change?: (configuration: string) => string;
  /** The paths that the configuration names, each with its replacement in a folder. */
  readonly paths: (folder: string) => Readonly<Record<string, string>>;
  readonly args: (folder: string) => readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export const RSYSLOG: Collector = {
  name: 'rsyslog',
  needs: ['rsyslogd'],
  configuration: 'parsers/rsyslog/webmail-diaglog.conf',
  paths: (folder) => ({
    '/var/spool/rsyslog': join(folder, 'state'),
    '/etc/rsyslog.d/webmail-diaglog': join(PROJECT, 'parsers/rsyslog'),
  }),
  args: (folder) => ['rsyslogd', '-n', '-f', join(folder, 'conf'), '-i', join(folder, 'pid')],
  env: {},
};

/** apt refuses syslog-ng beside rsyslog: .ci/run unpacks it, and puts a script of that name on the path. */
export const SYSLOG_NG: Collector = {
  name: 'syslog-ng',
  needs: ['syslog-ng'],
  configuration: 'parsers/syslog-ng/webmail-diaglog.conf',
  paths: () => ({}),
  args: (folder) => [
    ...['syslog-ng', '--foreground', '--no-caps', '--cfgfile', join(folder, 'conf'), '--pidfile', join(folder, 'pid')],
    ...['--persist-file', join(folder, 'state/persist'), '--control', join(folder, 'state/control')],
  ],
  env: { TZ: 'Europe/Warsaw' },
};

/** The log that a collector reads, and the NDJSON that it writes. */
export const LOG = 'error.log';
export const RECORDS = 'records.ndjson';

/** Runs work while a collector reads `LOG` of a folder. The collector has ended when this returns or throws. */
export async function whileCollecting<T>(
  collector: Collector,
  folder: string,
  work: (running: RunningCollector) => Promise<T>,
): Promise<T> {
  const running = new RunningCollector(collector, folder);
  try {
    return await work(running);
  } finally {
    await running.end('SIGTERM');
  }
}

/** A collector as a process. */
export class RunningCollector {
  readonly #collector: Collector;
  readonly #folder: string;
  #child: ChildProcess;

  constructor(collector: Collector, folder: string) {
    mkdirSync(join(folder, 'state'));
    const paths = {
      '/var/log/webmail/error.log': join(folder, LOG),
      '/var/log/webmail/records.ndjson': join(folder, RECORDS),
      ...collector.paths(folder),
    };
    const configuration = readFileSync(join(PROJECT, collector.configuration), 'utf8');
    writeFileSync(
      join(folder, 'conf'),
      Object.entries(paths).reduce(
        (text, [path, here]) => text.replaceAll(path, here),
        collector.change?.(configuration) ?? configuration,
      ),
    );
    this.#collector = collector;
    this.#folder = folder;
    this.#child = this.#start();
  }

  /** Ends it as kill -9 does, and starts it again on what it left behind. */
  async killAndRestart(): Promise<void> {
    await this.end('SIGKILL');
    this.#child = this.#start();
  }

  /** Starts it again on what it left behind. It must have ended. */
  start(): void {
    this.#child = this.#start();
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    await endProgram(this.#child, signal);
  }

  #start(): ChildProcess {
    return startProgram(this.#collector.args(this.#folder), this.#folder, this.#collector.env);
  }
}
