import { DataError } from '../../errors.js';
import { cutLogLines, recordOn } from '../../input/log-lines.js';
import { linesIn } from '../../lines.js';
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
    if (cut.overlong)
      throw new DataError({ source, line: line + 1 }, 'the line is longer than the longest record', 'leave it out');
    for (const text of linesIn(cut.bytes)) {
      line += 1;
      if (text.startsWith('[')) {
        // Of this log is also what becomes a record once it is fitted.
        record = recordOn(fitRecord(text.replace(/\r$/, ''), ANY_GROUP)) === undefined ? [] : undefined;
        if (record !== undefined) records.push(record);
      }
      if (record === undefined) continue;
      record.push(text);
      bytes += text.length;
      if (bytes > MOST_BYTES)
        throw new DataError({ source, line }, 'the records up to here are larger than 16 MiB', 'give fewer');
    }
  }
  if (records.length > 0) return records.map((texts) => texts.join('\n'));
  throw new DataError({ source }, 'contains no foreign records', 'give a log with records that begin with [');
}

const ANY_GROUP = { stamp: stampAt(0, { timezone: 'UTC' }), deployment: createDeployment() };

const STAMP = /^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d (?:([+-]\d{4})|[A-Za-z][A-Za-z0-9_+/-]*)\]/;

const PLUGINS_ROOT = /(?<![^ \t\n'"(<=])(\/[^ \t\n'"(<=]*?)\/plugins\//;
const PROGRAM_ROOT = /(?<![^ \t\n'"(<=])(\/[^ \t\n'"(<=]*?)\/program\/lib\//;

/** Gives a record of another log the second, the offset or zone, and the folders of a group, where it has the form of the webmail's. */
export function fitRecord(record: string, { stamp, deployment }: Pick<GroupBefore, 'stamp' | 'deployment'>): string {
  const stamped = record.replace(STAMP, (_stamp, offset: string | undefined) => {
    return `[${stamp.timestamp} ${offset === undefined ? deployment.timezone : stamp.utcOffset}]`;
  });
  const folders = new Map<string, string>();
  const pluginsRoot = PLUGINS_ROOT.exec(stamped)?.[1];
  if (pluginsRoot !== undefined) {
    const { pluginsFolder } = deployment;
    folders.set(`${pluginsRoot}/plugins/`, `${pluginsFolder}/`);
    folders.set(`${pluginsRoot}/`, pluginsFolder.replace(/[^/]*$/, ''));
  }
  const programRoot = PROGRAM_ROOT.exec(stamped)?.[1];
  if (programRoot !== undefined) folders.set(`${programRoot}/`, `${rootOf(deployment)}/`);
  if (folders.size === 0) return stamped;
  // In one pass, so that nothing is replaced twice; the longest first, since one folder may be below another.
  const longestFirst = Array.from(folders.keys()).sort((left, right) => right.length - left.length);
  const patterns = longestFirst.map((folder) => folder.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return stamped.replace(new RegExp(patterns.join('|'), 'g'), (folder) => folders.get(folder) ?? folder);
}
