import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  readonly paths?: (folder: string) => Readonly<Record<string, string>>;
  /** Further files that it needs in a folder. */
  readonly files?: (folder: string) => Readonly<Record<string, string>>;
  readonly args: (folder: string) => readonly string[];
  readonly env?: NodeJS.ProcessEnv;
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
};

/** apt refuses syslog-ng beside rsyslog: .ci/run unpacks it, and puts a script of that name on the path. */
export const SYSLOG_NG: Collector = {
  name: 'syslog-ng',
  needs: ['syslog-ng'],
  configuration: 'parsers/syslog-ng/webmail-diaglog.conf',
  args: (folder) => [
    ...['syslog-ng', '--foreground', '--no-caps', '--cfgfile', join(folder, 'conf'), '--pidfile', join(folder, 'pid')],
    ...['--persist-file', join(folder, 'state/persist'), '--control', join(folder, 'state/control')],
  ],
  env: { TZ: 'Europe/Warsaw' },
};

export const LOGAGENT_BIN = 'test/collectors/node_modules/@sematext/logagent/bin/logagent.js';

/** It prints its records. */
export const LOGAGENT: Collector = {
  name: 'logagent',
  needs: [LOGAGENT_BIN],
  configuration: 'parsers/logagent/patterns.yml',
  args: (folder) => [
    ...['bash', '-c', `exec "$0" "$@" >> records.ndjson 2> said`, process.execPath, join(PROJECT, LOGAGENT_BIN)],
    ...['--ldjson', '-n', 'error.log', '-f', join(folder, 'conf'), join(folder, 'error.log')],
  ],
  env: { TZ: 'Europe/Warsaw', DISABLE_DEFAULT_PATTERNS: 'true', LOGSENE_TMP_DIR: 'state' },
};

/** It answers requests for its counts at a socket. */
export const MTAIL: Collector = {
  name: 'mtail',
  needs: ['mtail', 'curl'],
  configuration: 'parsers/mtail/webmail-diaglog.mtail',
  args: (folder) => [
    ...['mtail', '--unix_socket', 'socket', '--log_dir', 'state', '--logs', join(folder, 'error.log')],
    ...['--progs', join(PROJECT, 'parsers/mtail/webmail-diaglog.mtail')],
  ],
};

/** It runs the jail of its configuration; what it finds stands in fail2ban.log, whom it bans in banned. */
export const FAIL2BAN: Collector = {
  name: 'fail2ban',
  needs: ['fail2ban-server', 'fail2ban-client', 'fail2ban-regex'],
  configuration: 'parsers/fail2ban/jail.d/webmail-diaglog.conf',
  files: (folder) => {
    for (const name of ['filter.d', 'action.d']) mkdirSync(join(folder, name));
    cpSync(join(PROJECT, 'parsers/fail2ban/filter.d'), join(folder, 'filter.d'), { recursive: true });
    return {
      banned: '',
      'jail.conf': `[DEFAULT]\nbackend = auto\naction = collect\n${readFileSync(join(folder, 'conf'), 'utf8')}`,
      'action.d/collect.conf': `[Definition]\nactionban = echo <ip> >> ${folder}/banned\n`,
      'fail2ban.conf': `[Definition]\nloglevel = INFO\nlogtarget = ${folder}/fail2ban.log\nsyslogsocket = auto
socket = ${folder}/socket\npidfile = ${folder}/pid\ndbfile = ${folder}/db\ndbpurgeage = 1d\ndbmaxmatches = 10
[Thread]\nstacksize = 0\n`,
    };
  },
  args: () => ['fail2ban-server', '-c', '.', '-s', 'socket', '-p', 'pid', '-f', 'start'],
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
      ...collector.paths?.(folder),
    };
    const configuration = readFileSync(join(PROJECT, collector.configuration), 'utf8');
    writeFileSync(
      join(folder, 'conf'),
      Object.entries(paths).reduce(
        (text, [path, here]) => text.replaceAll(path, here),
        collector.change?.(configuration) ?? configuration,
      ),
    );
    for (const [name, text] of Object.entries(collector.files?.(folder) ?? {})) writeFileSync(join(folder, name), text);
    this.#collector = collector;
    this.#folder = folder;
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
