import type { ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { VERSION } from '../../src/version.js';
import { addressOf } from '../support/service.js';
import { describeWith, MOUNT } from '../support/programs.js';
import { makeFolder, outcome, PROJECT, run, runShell, startShell } from '../support/run.js';
import { until } from '../support/until.js';

const PROGRAM = '/opt/webmail-diaglog/bin/webmail-diaglog';

describeWith(['buildah', 'unshare', 'ldd', MOUNT], 'the image', () => {
  const root = mkdtempSync(join(tmpdir(), 'webmail-diaglog-image-'));
  const buildah = `BUILDAH_ISOLATION=chroot buildah --storage-driver vfs --root ${root}/storage --runroot ${root}/run`;
  let files = '';

  async function must(script: string): Promise<string> {
    const { exit, stdout, stderr } = await runShell(script, { cwd: PROJECT });
    if (exit !== 0) throw new Error(`${script}: ${String(exit)}: ${stderr}`);
    return stdout.trim();
  }

  beforeAll(async () => {
    await makeBase(join(root, 'base'), must);
    await must(`${buildah} build --quiet --tag base ${root}/base`);
    await must(`${buildah} build --quiet --build-arg BASE=localhost/base --build-arg VERSION=${VERSION} --tag image .`);
    const container = await must(`${buildah} from localhost/image`);
    files = await must(`${buildah} mount ${container}`);
  });

  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  /** Runs the command as process 1 of a container whose files cannot be written, but for /logs. */
  function inContainer(args: string, logs = makeFolder()): string {
    chmodSync(logs, 0o777);
    const prepare = [
      `mount --bind ${files} ${files}`,
      `mount -o remount,bind,ro ${files}`,
      `mount --bind ${logs} ${files}/logs`,
      `exec chroot --userspec=1000:1000 ${files} node ${PROGRAM} ${args}`,
    ].join(' && ');
    return `unshare --mount --pid --fork --kill-child bash --norc -c '${prepare}'`;
  }

  test('is the command on its base: not root, with labels, under 15 MB', async () => {
    const format = '{{.OCIv1.Config.User}}|{{.OCIv1.Config.StopSignal}}|{{.OCIv1.Config.Entrypoint}}|{{.OCIv1.Config.Labels}}';
    const config = await must(`${buildah} inspect --type image --format '${format}' localhost/image`);
    expect(config).toContain(`1000:1000|SIGTERM|[node ${PROGRAM}]|`);
    expect(config).toContain(`org.opencontainers.image.version:${VERSION}`);
    const kilobytes = Number((await must(`du -sk ${files}/opt`)).split('\t')[0]);
    expect(kilobytes).toBeGreaterThan(500);
    expect(kilobytes).toBeLessThan(15_000);
  });

  test('writes the same log as the installed command; reads a log that is mounted, and appends to one', async () => {
    const logs = makeFolder();
    expect(await runShell(inContainer('synth --seed 7 --count 300'))).toEqual(await run('synth --seed 7 --count 300'));
    expect((await runShell(inContainer('synth --count 20 -o /logs/error.log', logs))).exit).toBe(0);
    const checked = await runShell(inContainer('check /logs/error.log', logs));
    expect(checked.stdout).toBe('/logs/error.log: 0 violations in 20 groups, 160 lines\n');
  });

  test('a canary watches a pipe, with metrics', async () => {
    const logs = makeFolder();
    const canary = inContainer('canary - - --rate 50 --duration 1s --late 5s --metrics 0 -o /logs/report.txt', logs);
    const { exit, stderr } = await runShell(`mkfifo back && cat back | ${canary} > back`, { cwd: makeFolder() });
    expect(stderr).toContain('metrics at http://127.0.0.1:');
    expect(readFileSync(join(logs, 'report.txt'), 'utf8')).toMatch(/\(100 %\)/);
    expect(exit).toBe(0);
  });

  test('serve answers from outside', async () => {
    const service = startShell(`exec ${inContainer('serve --host 0.0.0.0 --port 0 -o /logs/error.log')}`);
    const ended = outcome(service);
    const address = (await addressOf(service)).replace('0.0.0.0', '127.0.0.1');
    const { status } = await fetch(`${address}mail/?_task=login`);
    expect(status).toBe(200);
    signalFirstProcess(service, 'SIGTERM');
    expect((await ended).exit).toBe(0);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s ends process 1 with %d, and whole groups', async (signal, code) => {
    const logs = makeFolder();
    const child = startShell(`exec ${inContainer('synth --live --rate 50 --count forever -o /logs/error.log', logs)}`);
    const ended = outcome(child);
    const log = join(logs, 'error.log');
    writeFileSync(log, '');
    chmodSync(log, 0o666);
    await until(() => readFileSync(log).length > 20_000);
    signalFirstProcess(child, signal);
    const { exit, stderr } = await ended;
    expect(stderr).toContain(`webmail-diaglog: ended by ${signal} (`);
    expect(exit).toBe(code);
    expect((await run(['check', log])).stdout).toContain(': 0 violations in ');
  });
});

/** Makes the folder of a base image from Node of this machine, and the libraries that it needs. */
async function makeBase(folder: string, must: (script: string) => Promise<string>): Promise<void> {
  const node = realpathSync(process.execPath);
  const libraries = (await must(`ldd ${node}`)).match(/\/[^ ]+/g) ?? [];
  for (const [from, to] of [[node, '/usr/local/bin/node'] as const, ...libraries.map((path) => [path, path] as const)]) {
    mkdirSync(join(folder, dirname(to)), { recursive: true });
    copyFileSync(from, join(folder, to));
    chmodSync(join(folder, to), 0o755);
  }
  writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin:/usr/bin:/bin\n');
}

/** Sends a signal to process 1 of the container that `unshare` has made. */
function signalFirstProcess({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  const [first = ''] = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').split(' ');
  process.kill(Number(first), signal);
}
