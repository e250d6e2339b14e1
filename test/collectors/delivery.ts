import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELD_NAMES, type FieldName } from '../../src/compare/fields.js';
import { FINDING_KINDS } from '../../src/compare/findings.js';
import { makeFolder, run, runShell } from '../support/run.js';
import { until } from '../support/until.js';
import { LOG, RECORDS } from './collectors.js';

/** A folder with a log, a byte string. */
export function folderWithLog(log = ''): string {
  const folder = makeFolder();
  writeFileSync(join(folder, LOG), log, 'latin1');
  return folder;
}

/** The options of `compare` for raw lines. */
export const RAW = ['--field', 'message'] as const;

/** The options of `compare` for all fields of parsed records, but for some. */
export function parsedBut(...except: readonly FieldName[]): readonly string[] {
  const names = FIELD_NAMES.filter((name) => !except.includes(name));
  return ['--fields', names.map((name) => `${name}=${name}`).join(',')];
}

/** The options of `compare` for all fields of parsed records. */
export const PARSED = parsedBut();

/** The summary of `compare --json`: its counts by name. */
export type Summary = Readonly<Record<string, number>>;

/** Everything arrived. */
export const ALL = (records: number): Summary => ({ records_sent: records, records_delivered: records });

/** The properties of the object on the last line of a report in JSON. */
export function summaryIn(stdout: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  return { ...(typeof value === 'object' ? value : {}) };
}

const COUNTED = ['records_sent', 'records_delivered'];
const KINDS_FOUND: readonly string[] = [...FINDING_KINDS, 'lossy'];

/** The counts of `compare` of a log and of the `RECORDS` of a folder; kinds of findings of which there are none are left out. */
export async function findings(folder: string, expected: string, how: readonly string[]): Promise<Summary> {
  const args = ['compare', '--json', '--max', '0', ...how, join(folder, expected), join(folder, RECORDS)];
  const { stdout, stderr } = await run(args);
  if (stdout === '') throw new Error(stderr);
  const summary = summaryIn(stdout);
  return Object.fromEntries(
    [...COUNTED, ...KINDS_FOUND].flatMap((name) => {
      const count = Number(summary[name]);
      return count === 0 && KINDS_FOUND.includes(name) ? [] : [[name, count]];
    }),
  );
}

/** Appends a last group to the `LOG` of a folder, and to further files, and waits until the collector has written all of it. */
export async function endDelivery(folder: string, ...others: readonly string[]): Promise<void> {
  const appended = await runShell(
    `echo 2038-01-01T00:00:00Z,/mail/?the-end > end.csv
     webmail-diaglog replay --order keep end.csv | tee -a ${[LOG, ...others].join(' ')} > /dev/null`,
    { cwd: folder },
  );
  if (appended.stderr !== '') throw new Error(appended.stderr);
  await until(() => /the-end.*\n.*Deprecated.*\n$/.test(endOf(join(folder, RECORDS))));
}

const TAIL_BYTES = 4096;

/** The last bytes of a file as a byte string; empty if there is none. */
function endOf(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  const tail = Buffer.alloc(TAIL_BYTES);
  const read = readSync(file, tail, 0, TAIL_BYTES, Math.max(0, fstatSync(file).size - TAIL_BYTES));
  closeSync(file);
  return tail.toString('latin1', 0, read);
}
