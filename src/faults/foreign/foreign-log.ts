import { DataError } from '../../errors.js';
import { cutLogLines, recordOn } from '../../input/log-lines.js';
import { createDeployment } from '../../log/deployment.js';
import { stampAt } from '../../log/timestamp.js';
import { rootOf, type GroupBefore } from './real-records.js';

const MOST_BYTES = 16 << 20;

/**
 * Reads the foreign records of a log: a line that starts with `[`, and the following lines that do not. Records of this log (2.1, 2.2) and
 * lines before the first record are skipped. @throws DataError
 */
export async function readForeignRecords(blocks: AsyncIterable<Uint8Array>, source: string): Promise<readonly string[]> {
  const records: string[][] = [];
  let line = 0;
  let bytes = 0;
  let record: string[] | undefined;
  for await (const cut of cutLogLines(blocks)) {
    if (cut.overlong) {
      throw new DataError({ source, line: line + 1 }, 'the line is longer than the longest record', 'leave it out');
    }
    for (const text of linesIn(cut.bytes)) {
      line += 1;
      if (text.startsWith('[')) {
        record = isOfThisLog(text) ? undefined : [];
        if (record !== undefined) records.push(record);
      }
      if (record === undefined) continue;
      record.push(text);
      bytes += text.length;
      if (bytes > MOST_BYTES)
        throw new DataError({ source, line }, 'the records up to here are larger than 16 MiB', 'give fewer');
    }
  }
  if (records.length > 0) return records.map((lines) => lines.join('\n'));
  throw new DataError({ source }, 'contains no foreign records', 'give a log with records that begin with [');
}

function linesIn(bytes: Buffer): readonly string[] {
  const text = bytes.toString('latin1');
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

const ANY_GROUP = { stamp: stampAt(0, { timezone: 'UTC' }), deployment: createDeployment() };

/** True for a record of this log, or what becomes one once it is fitted. */
function isOfThisLog(line: string): boolean {
  return recordOn(fitRecord(line.replace(/\r$/, ''), ANY_GROUP)) !== undefined;
}

const STAMP = /^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d (?:([+-]\d{4})|[A-Za-z][A-Za-z0-9_+/-]*)\]/;

const BEFORE_PATH = ' \t\n\'"(<=';

/** Gives a record of another log the second, the offset or zone, and the folders of a group, where it has the form of the webmail's. */
export function fitRecord(record: string, { stamp, deployment }: Pick<GroupBefore, 'stamp' | 'deployment'>): string {
  const stamped = record.replace(
    STAMP,
    (_stamp, offset: string | undefined) =>
      `[${stamp.timestamp} ${offset === undefined ? deployment.timezone : stamp.utcOffset}]`,
  );
  const folders = new Map<string, string>();
  const pluginsRoot = rootBefore('/plugins/', stamped);
  if (pluginsRoot !== undefined) {
    const { pluginsFolder } = deployment;
    folders.set(`${pluginsRoot}/plugins/`, `${pluginsFolder}/`);
    folders.set(`${pluginsRoot}/`, pluginsFolder.replace(/[^/]*$/, ''));
  }
  const programRoot = rootBefore('/program/lib/', stamped);
  if (programRoot !== undefined) folders.set(`${programRoot}/`, `${rootOf(deployment)}/`);
  if (folders.size === 0) return stamped;
  // In one pass, so that nothing is replaced twice; the longest first, since one folder may be below another.
  const longestFirst = Array.from(folders.keys()).sort((left, right) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map(escapePattern).join('|'), 'g');
  return stamped.replace(pattern, (folder) => folders.get(folder) ?? folder);
}

/** The folder before a part of the first path that contains the part. */
function rootBefore(part: string, record: string): string | undefined {
  const end = record.indexOf(part);
  if (end === -1) return undefined;
  let from = end;
  while (from > 0 && !BEFORE_PATH.includes(record[from - 1] ?? '')) from -= 1;
  return record[from] === '/' && from < end ? record.slice(from, end) : undefined;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
