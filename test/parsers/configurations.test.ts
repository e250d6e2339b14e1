import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROJECT } from '../support/run.js';

/** The programs that no test runs, since neither Debian nor npm has them. */
const NOT_RUN = ['filebeat', 'fluent-bit', 'fluentd', 'logstash', 'loki', 'opentelemetry-collector', 'vector'];

const FOLDERS = readdirSync(join(PROJECT, 'parsers'));

function read(path: string): string {
  return readFileSync(join(PROJECT, 'parsers', path), 'utf8');
}

describe.each(FOLDERS)('parsers/%s', (folder) => {
  const files = readdirSync(join(PROJECT, 'parsers', folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:conf|json|yml|yaml|alloy|mtail|md|rulebase)$/.test(file),
  );

  test('has a README of a screen', () => {
    expect(files).toContain('README.md');
    expect(read(join(folder, 'README.md')).split('\n').length).toBeLessThan(60);
  });

  test('says in the first line of its files whether it was run', () => {
    const notRun = files.filter((file) => file !== 'README.md' && read(join(folder, file)).split('\n')[0]?.includes('Not run here:'));
    const expected = NOT_RUN.includes(folder) ? files.filter((file) => file !== 'README.md') : [];
    expect(notRun).toEqual(expected);
    if (NOT_RUN.includes(folder)) expect(read(join(folder, 'README.md'))).toContain('Not run here');
  });
});
