import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { freePort } from '../support/http.js';
import { describeWith } from '../support/programs.js';
import { BIN, makeFolder, PROJECT, runShell } from '../support/run.js';
import { until } from '../support/until.js';

const EXAMPLES = join(PROJECT, 'examples/gnu-parallel');

/** The lines of a program that runs the command line; `$@` holds its arguments. */
const RUN = `exec "${process.execPath}" "${BIN}" "$@"`;

/** Writes a program `webmail-diaglog`. @returns the PATH with it */
function pathTo(bin: string, program: string): string {
  mkdirSync(bin);
  writeFileSync(join(bin, 'webmail-diaglog'), `#!/bin/bash\n${program}\n`, { mode: 0o755 });
  return `${bin}:${process.env['PATH'] ?? ''}`;
}

/** GNU parallel runs its jobs in $SHELL, which knows no functions of bash. Runs of it at the same time would share the cache in its home. */
function environmentIn(folder: string): Record<string, string> {
  return { PATH: pathTo(join(folder, 'bin'), RUN), PARALLEL_HOME: folder };
}

describeWith(['parallel'], 'examples/gnu-parallel', () => {
  test.each(['/bin/sh', '/bin/bash', ''])('its script gives the bytes that one process gives, with SHELL=%s', async (SHELL) => {
    const script = join(EXAMPLES, 'synth-parallel');
    const cwd = makeFolder({ "it's a list.csv": '/mail/,2\n/poczta/,1\n' });
    const { exit, stdout, stderr } = await runShell(
      `set -- --seed 9 --count 5000 --targets "it's a list.csv"
       SHARDS=5 "${script}" "$@" > sharded.log && webmail-diaglog synth "$@" | cmp - sharded.log && wc -l < sharded.log`,
      { cwd, env: { SHELL, ...environmentIn(cwd) } },
    );
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '40000\n', stderr: '' });
    expect(readFileSync(script, 'utf8')).toContain('--keep-order');
  });

  test.each([
    ['HOSTS=nowhere SHARDS=2', '', 'HOSTS is "nowhere", which is not a readable file; name a file of ssh logins'],
    ['HOSTS=hosts SHARDS=', '', 'HOSTS needs SHARDS; set it to a few times the number of cores of all hosts'],
    ['HOSTS=hosts SHARDS=2', '--tee=sent.{}.log', '--tee=sent.{}.log would hold a slice twice that is made again; leave it out'],
    ['', '-o x', '-o would mix the slices; redirect stdout'],
    ['', '--from now', 'each slice would have a "now" of its own; give a time'],
    ['', '--live', 'each slice would have a "now" of its own; give a time'],
    ['', '--tee x.log', 'x.log would mix the slices; name it as in sent.{}.log'],
    ['', '--tee=x.log', '--tee=x.log would mix the slices; name it as in sent.{}.log'],
    ['', '--shard 1/2', '--shard is what this script gives; set SHARDS'],
    ['', '--faults all:0.1 --fault-report x', 'x would be the report of every slice; name it as in faults.{}.ndjson'],
  ])('it refuses %s %s', async (settings, options, message) => {
    const cwd = makeFolder({ hosts: '2/alpha\n' });
    const ran = await runShell(`${settings} "${EXAMPLES}/synth-parallel" ${options}`, { cwd });
    expect(ran).toEqual({ exit: 2, stdout: '', stderr: `synth-parallel: ${message}\n` });
  });

  test.each(['/bin/sh', '/bin/bash'])('compare-parallel: a synth that fails is a fault, SHELL=%s', async (SHELL) => {
    const cwd = makeFolder();
    const { exit, stderr } = await runShell(`: > 1.log; : > 2.log; "${EXAMPLES}/compare-parallel" --cuont 10 -- "{}.log"`, {
      cwd,
      env: { SHARDS: '2', SHELL, ...environmentIn(cwd) },
    });
    expect(exit).toBe(2);
    for (const slice of ['1', '2']) expect(stderr).toContain(`slice ${slice}:\twebmail-diaglog: unknown option '--cuont'`);
  });

  test('compare-parallel makes each slice again, with its faults, and says which one is at fault', async () => {
    const cwd = makeFolder({ "it's a list.csv": '/mail/,2\n/poczta/,1\n' });
    const { exit, stdout } = await runShell(
      `set -- --count 3000 --mark r --targets "it's a list.csv" --faults all:0.002
       exec 2> messages
       "${EXAMPLES}/synth-parallel" "$@" --fault-report "it's {}.ndjson" > whole.log
       for i in 1 2 3; do webmail-diaglog synth "$@" --shard $i/3 > "it's $i.log"; done
       cat "it's "?.log | cmp - whole.log; ls "it's "?.ndjson | wc -l
       "${EXAMPLES}/compare-parallel" "$@" -- "it's {}.log" | grep -c '(100 %)'
       sed -i 5d "it's 2.log"
       "${EXAMPLES}/compare-parallel" "$@" -- "it's {}.log" --max 1 | cut -c -27
       "${EXAMPLES}/compare-parallel" "$@" -- "it's {}.log" --json > report.ndjson; echo $?
       cut -c -18 report.ndjson
       "${EXAMPLES}/compare-parallel" "$@"; echo $?; tail -n 1 messages`,
      { cwd, env: { SHARDS: '3', SHELL: '/bin/sh', ...environmentIn(cwd) } },
    );
    expect({ exit, lines: stdout.split('\n') }).toEqual({
      exit: 0,
      lines: [
        '3',
        '3',
        'slice 1:\t<stdin>: 8004 of 8',
        'slice 2:\t<stdin>:5: missing',
        'slice 2:\t<stdin>: 8013 of 8',
        'slice 3:\t<stdin>: 8019 of 8',
        '1',
        '{"kind":"summary",',
        '{"kind":"missing",',
        '{"kind":"summary",',
        '{"kind":"summary",',
        '2',
        'compare-parallel: nothing to compare with; give -- and the received file, as in -- received.{}.log',
        '',
      ],
    });
  });
});

const SSHD = '/usr/sbin/sshd';

const pids: number[] = [];

/** Starts hosts: each an sshd on loopback. @param hosts the program `webmail-diaglog` of each, by its name @returns an environment with all in `HOSTS` */
async function startHosts(cwd: string, hosts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const [hostKey, userKey] = [join(cwd, 'host-key'), join(cwd, 'user-key')];
  for (const key of [hostKey, userKey]) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const client = [`IdentityFile ${userKey}`, 'StrictHostKeyChecking no', 'UserKnownHostsFile /dev/null', 'LogLevel ERROR'];
  for (const [name, program] of Object.entries(hosts)) {
    const port = await freePort();
    const pidFile = join(cwd, `${name}.pid`);
    const config = [
      `Port ${String(port)}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${userKey}.pub`,
      `PidFile ${pidFile}`,
      `SetEnv PATH=${pathTo(join(cwd, `bin-${name}`), `echo ${name} >> "${cwd}/runs"\n${program}`)}`,
      'StrictModes no',
      'UsePAM no',
      'MaxStartups 100',
    ];
    writeFileSync(join(cwd, `${name}.config`), `${config.join('\n')}\n`);
    const started = spawnSync(SSHD, ['-f', join(cwd, `${name}.config`)], { encoding: 'utf8' });
    if (started.status !== 0) throw new Error(started.stderr);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'));
    pids.push(Number(readFileSync(pidFile, 'utf8')));
    client.push(`Host ${name}`, 'HostName 127.0.0.1', `Port ${String(port)}`);
  }
  writeFileSync(join(cwd, 'ssh.config'), `${client.join('\n')}\n`);
  const logins = Object.keys(hosts).map((name) => `2/${name}\n`);
  writeFileSync(join(cwd, 'hosts'), logins.join(''));
  return { HOSTS: 'hosts', SHARDS: '9', PARALLEL_SSH: `ssh -F ${cwd}/ssh.config`, PARALLEL_HOME: cwd };
}

afterEach(() => {
  for (const pid of pids.splice(0)) {
    try {
      process.kill(pid);
    } catch {
      // The host has died already.
    }
  }
});

describeWith(['parallel', SSHD, 'ssh'], 'examples/gnu-parallel, on several hosts', () => {
  test('the log, the reports of faults and the comparison are those of one process', async () => {
    const cwd = makeFolder();
    const env = await startHosts(cwd, { alpha: RUN, beta: RUN });
    const { exit, stdout, stderr } = await runShell(
      `set -- --seed 9 --count 4500 --mark r --faults all:0.002
       "${EXAMPLES}/synth-parallel" "$@" --fault-report "it's {}.ndjson" > sharded.log 2> messages
       webmail-diaglog synth "$@" 2> messages | cmp - sharded.log
       for i in 1 2 3 4 5 6 7 8 9; do
         webmail-diaglog synth "$@" --shard $i/9 --fault-report alone.ndjson 2> messages > "$i.log"
         cmp alone.ndjson "it's $i.ndjson"
       done
       sort -u runs
       sed -i 5d 2.log
       "${EXAMPLES}/compare-parallel" "$@" -- '{}.log' 2> messages > compared; echo $?
       grep -c '(100 %)' compared; grep -o '^slice.*missing:' compared`,
      { cwd, env },
    );
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: 'alpha\nbeta\n1\n8\nslice 2:\t<stdin>:5: missing:\n',
      stderr: '',
    });
  });

  test('a host that dies in the middle of a slice loses nothing', async () => {
    const cwd = makeFolder();
    const dying = `"${process.execPath}" "${BIN}" "$@" | head -c 100000
      host=$(cat "${cwd}/beta.pid") && kill -9 $(pgrep -P "$host") "$host"`;
    const env = await startHosts(cwd, { alpha: RUN, beta: dying });
    const { exit, stdout } = await runShell(
      `set -- --seed 9 --count 4500
       "${EXAMPLES}/synth-parallel" "$@" > sharded.log 2> messages; echo $?
       webmail-diaglog synth "$@" | cmp - sharded.log && wc -l < sharded.log; sort -u runs`,
      { cwd, env },
    );
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '0\n36000\nalpha\nbeta\n' });
  });

  test('hosts that are all gone fail the run', async () => {
    const cwd = makeFolder();
    const env = await startHosts(cwd, {});
    writeFileSync(join(cwd, 'hosts'), '2/nowhere.invalid\n');
    const { stdout } = await runShell(
      `"${EXAMPLES}/synth-parallel" --count 90 > sharded.log 2> messages; [ $? -ne 0 ] && wc -c < sharded.log`,
      { cwd, env },
    );
    expect(stdout).toBe('0\n');
  });
});
