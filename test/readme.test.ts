import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { createDeployment } from '../src/log/deployment.js';
import { formatGroup } from '../src/log/group.js';
import { makeFolder, PROJECT, runNode, runShell } from './support/run.js';

const README = readFileSync(join(PROJECT, 'README.md'), 'utf8');

/** The contents of the fenced blocks of a language. */
function blocks(language: string): string[] {
  return Array.from(README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')), ([, content]) => content ?? '');
}

/** `npx webmail-diaglog` is the command under test; `npm` has been run: these tests are part of it. */
const STUBS = 'npx() { "$@"; }\nnpm() { :; }\n';

/** A folder in which the examples can be tried. */
function makeClone(): string {
  const folder = makeFolder();
  symlinkSync(join(PROJECT, 'fixtures'), join(folder, 'fixtures'));
  return folder;
}

/** Runs the example of the library that holds a name, with something behind it. */
async function runExample(name: string, end: string, cwd: string): ReturnType<typeof runNode> {
  const example = blocks('ts').find((block) => block.includes(name)) ?? '';
  const library = pathToFileURL(join(PROJECT, 'dist/index.js')).href;
  writeFileSync(join(cwd, 'example.mjs'), example.replace("'webmail-diaglog'", `'${library}'`) + end);
  return runNode(['example.mjs'], { cwd });
}

describe('README.md', () => {
  test('its examples print what it says, one after the other', async () => {
    const cwd = makeClone();
    const examples = blocks('console').join('').split(/^\$ /m).slice(1);
    expect(examples.length).toBeGreaterThan(8);
    for (const example of examples) {
      const [command = '', ...shown] = example.split('\n');
      const { stdout, stderr } = await runShell(`${STUBS}${command}`, { cwd });
      const printed = stderr + Buffer.from(stdout, 'latin1').toString('utf8');
      expect(`$ ${command}\n${printed}`).toBe(`$ ${command}\n${shown.join('\n')}`);
    }
  });

  test('its first command prints the whole golden log', async () => {
    const command = blocks('sh').find((block) => block.startsWith('npm ci && npx webmail-diaglog'));
    const { exit, stdout } = await runShell(`${STUBS}${command ?? 'exit 1'}`, { cwd: makeClone() });
    expect(exit).toBe(0);
    expect(stdout === readFileSync(join(PROJECT, 'fixtures/requests.log'), 'latin1')).toBe(true);
  });

  test('its second command is what .ci/run calls', () => {
    expect(blocks('sh')).toContain('npm ci && npm test\n');
    expect(readFileSync(join(PROJECT, '.ci/run'), 'utf8')).toContain('\nnpm ci && npm test\n');
  });

  test.each([
    ['formatGroup', '\nprocess.stdout.write(group);', createDeployment()],
    ['renderGroups', '', createDeployment({ installRoot: '/srv/webmail', timezone: 'Asia/Kolkata' })],
  ])('its example of %s runs', async (name, end, site) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'requests.csv'), '2025-05-18T10:00:00Z,/mail/\n');
    expect(await runExample(name, end, cwd)).toEqual({
      exit: 0,
      stdout: formatGroup({ millisecond: 1_747_562_400_000, method: 'GET', target: '/mail/' }, site),
      stderr: '',
    });
  });

  test('its example of readLoggedRequests runs', async () => {
    const cwd = makeFolder();
    const request = { millisecond: 1_747_562_400_000, method: 'GET', target: '/mail/' };
    writeFileSync(join(cwd, 'error.log'), formatGroup(request, createDeployment()));
    expect((await runExample('readLoggedRequests', '', cwd)).stdout).toBe('18-May-2025 12:00:00 +0200 GET /mail/\n');
  });

  test.each([
    ['replay', '## Options of `replay`'],
    ['synth', '## Options of `synth`'],
    ['parse', '## Reading a log: `parse`'],
    ['check', '## Checking a log: `check`'],
    ['serve', '## Options of `serve`'],
    ['stats', '## What is in a log: `stats`'],
  ])('it lists every option of %s, and no other', async (command, heading) => {
    const { stdout } = await runShell(`webmail-diaglog ${command} --help`);
    const options = (text: string): Set<string> => new Set(Array.from(text.matchAll(/--[a-z-]+/g), ([option]) => option));
    const section = README.slice(README.indexOf(heading)).split('\n## ')[0] ?? '';
    const [table = ''] = /^\| option (?:.*\n\|)+.*/m.exec(section) ?? [];
    // What is as in another command stands below the table.
    const rest = section.split('\n').filter((line) => !line.startsWith('|') && line.includes('`--deployment`'));
    const named = table.split('\n').map((row) => row.split(' | ')[0]);
    const helped = options(/\nOptions:\n(?: {2}.*\n)+/.exec(stdout)?.[0] ?? '');
    helped.delete('--help');
    expect(options([...named, ...rest].join('\n').replace(/\|---/g, ''))).toEqual(helped);
  });

  test('its map names what is there', () => {
    const map = blocks('').find((block) => block.startsWith('bin/')) ?? '';
    for (const [, path = ''] of map.matchAll(/^(\S+)/gm)) expect(() => readFileSync(join(PROJECT, path))).not.toThrow(/ENOENT/);
  });
});
