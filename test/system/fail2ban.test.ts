import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readEntries } from '../support/explain.js';
import { describeWith } from '../support/programs.js';
import { makeFolder, readBytes, runShell } from '../support/run.js';

/** How IMAP servers refuse a password. The filter passes over logins that failed because no server was reachable. */
const REFUSED = ' Authentication failed. in ';

describeWith(['fail2ban-regex'], 'the filter roundcube-auth of fail2ban', () => {
  test('finds each login that was refused, by user and address, and nothing else', async () => {
    const cwd = makeFolder();
    const script = `
      webmail-diaglog synth --count 9000 --faults all:0.05,foreign:0.2 --fault-seed 1 --fault-report f > error.log
      fail2ban-regex --out '<F-USER> from <ip>' error.log roundcube-auth`;
    const { exit, stdout } = await runShell(script, { cwd });
    expect(exit).toBe(0);
    const lines = readBytes(cwd, 'error.log').split('\n');
    const logins = readEntries(readFileSync(join(cwd, 'f'), 'utf8')).filter(({ user }) => user !== undefined);
    const refused = logins.filter(({ line }) => lines[line - 1]?.includes(REFUSED));
    expect(refused.length).toBeGreaterThan(600);
    expect(logins.length).toBeGreaterThan(refused.length);
    const found = refused.map(({ user = '', address = '' }) => `${user} against 127.0.0.1 from ${address}`);
    expect(stdout.trimEnd().split('\n')).toEqual(found);
  });
});
