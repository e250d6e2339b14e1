import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { KINDS, readRegex, type Form } from '../support/regex-files.js';
import { PROJECT } from '../support/run.js';

const unchanged = (regex: string): string => regex;
/** Between slashes. */
const withSlashesEscaped = (regex: string): string => regex.replaceAll('/', '\\/');
/** Without the names of groups, between slashes. */
const withoutNames = (regex: string): string => withSlashesEscaped(regex.replace(/\(\?<\w+>/g, '('));
/** In a JSON string. */
const withBackslashesDoubled = (regex: string): string => regex.replaceAll('\\', '\\\\');

/** The configurations that hold the regular expressions, and how they quote them. */
const CONFIGURATIONS: readonly (readonly [path: string, form: Form, quote: (regex: string) => string])[] = [
  ['filebeat/ingest-pipeline.json', 'named', withBackslashesDoubled],
  ['fluent-bit/parsers.conf', 'named', unchanged],
  ['fluentd/fluent.conf', 'named', withSlashesEscaped],
  ['lnav/webmail-diaglog.json', 'named', withBackslashesDoubled],
  ['logagent/patterns.yml', 'named', withoutNames],
  ['logstash/webmail-diaglog.conf', 'named', unchanged],
  ['loki/config.alloy', 'python-named', unchanged],
  ['loki/promtail.yaml', 'python-named', unchanged],
  ['mtail/webmail-diaglog.mtail', 'python-named', withSlashesEscaped],
  ['opentelemetry-collector/config.yaml', 'python-named', unchanged],
  ['syslog-ng/webmail-diaglog.conf', 'named', unchanged],
  ['vector/vector.yaml', 'python-named', unchanged],
];

/** The programs that no test runs, since neither Debian nor npm has them. */
const NOT_RUN = ['filebeat', 'fluent-bit', 'fluentd', 'logstash', 'loki', 'opentelemetry-collector', 'vector'];

const FOLDERS = readdirSync(join(PROJECT, 'parsers'));

function read(path: string): string {
  return readFileSync(join(PROJECT, 'parsers', path), 'utf8');
}

test.each(CONFIGURATIONS)('parsers/%s holds both regular expressions, in the form %s', (path, form, quote) => {
  const text = read(path);
  for (const kind of KINDS) expect(text).toContain(quote(readRegex(kind, form)));
});

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
