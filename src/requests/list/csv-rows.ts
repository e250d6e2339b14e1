import { finished } from 'node:stream/promises';
import type { Chunks } from '../../lines.js';
import type { Fault } from '../request.js';
import { OVERLONG, readLines } from './line-blocks.js';

/** A line that may be a row: its cells, or its text (without its end) and the fault that keeps it from being split into cells. */
export type Row =
  | { readonly line: number; readonly cells: readonly string[]; readonly fault: undefined }
  | { readonly line: number; readonly text: string; readonly fault: Fault };

const BOM = '\xef\xbb\xbf';

/** Reads the rows of a list, an array for each block of it. @throws what `blocks` throws */
export async function* readRows(blocks: Chunks): AsyncGenerator<readonly Row[]> {
  for await (const { line, text, overlong } of readLines(blocks)) {
    if (overlong) yield [{ line, text: '', fault: OVERLONG }];
    else yield await parseLines(line === 1 && text.startsWith(BOM) ? text.slice(BOM.length) : text, line);
  }
}

/**
 * Parses the rows among whole lines: every line that is neither blank nor a comment.
 *
 * @param text lines that end in LF or CRLF; the end of the last line may be missing
 * @param firstLine the number of the first line
 */
export async function parseLines(text: string, firstLine: number): Promise<readonly Row[]> {
  return text.includes('"') || text.includes('\r') ? parseQuotedLines(text, firstLine) : splitLines(text, firstLine);
}

/** Parses lines without quotes and CRs. */
function splitLines(text: string, firstLine: number): readonly Row[] {
  const rows: Row[] = [];
  let line = firstLine;
  let comma = text.indexOf(',');
  for (let at = 0; at < text.length; line += 1) {
    const lf = text.indexOf('\n', at);
    const end = lf === -1 ? text.length : lf;
    const cells: string[] = [];
    let from = at;
    // Each comma is looked for once: a search that began anew in each line would take quadratic time in lines without commas.
    while (comma !== -1 && comma < end) {
      cells.push(text.slice(from, comma));
      from = comma + 1;
      comma = text.indexOf(',', from);
    }
    cells.push(text.slice(from, end));
    if (!isSkipped(cells)) rows.push({ line, cells, fault: undefined });
    at = end + 1;
  }
  return rows;
}

/** True for a line that is blank or a comment. */
function isSkipped([first = '', second]: readonly string[]): boolean {
  return first.startsWith('#') || (second === undefined && /^[ \t]*$/.test(first));
}

async function parseQuotedLines(text: string, firstLine: number): Promise<readonly Row[]> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const rows: { line: number; text: string; fault: Fault | undefined }[] = [];
  const faultless: string[] = [];
  for (const [index, lineText] of lines.entries()) {
    // The LF may be missing at the end of the input: a CR there is not part of a line end.
    const ended = index < lines.length - 1 || text.endsWith('\n');
    const content = ended && lineText.endsWith('\r') ? lineText.slice(0, -1) : lineText;
    if (isSkipped([content])) continue;
    const fault = findRowFault(content);
    rows.push({ line: firstLine + index, text: content, fault });
    if (fault === undefined) faultless.push(content);
  }
  const cells = (await parseRows(faultless)).values();
  return rows.map(({ fault, ...row }) =>
    fault === undefined ? { line: row.line, cells: cells.next().value ?? [], fault } : { ...row, fault },
  );
}

/**
 * Finds the fault of a line (without its end) that is not a row of RFC 4180. fast-csv must be given whole, balanced lines: an
 * unclosed quote makes it take quadratic time and swallow all further lines, a lone CR splits a cell.
 *
 * @returns undefined for a line that fast-csv may parse
 */
function findRowFault(line: string): Fault | undefined {
  if (line.includes('\r')) return { problem: 'the line contains a carriage return', remedy: 'end lines with LF or CRLF' };
  return line.includes('"') ? findQuoteFault(line) : undefined;
}

const UNCLOSED: Fault = { problem: 'a quote is not closed', remedy: 'close it in the same line, write a quote in quotes as ""' };
const MISPLACED: Fault = {
  problem: 'a quote in a cell that is not quoted as a whole',
  remedy: 'quote the whole cell and double the quotes in it',
};

/** A cell and what ends it: a cell that is quoted as a whole, or one without quotes. */
const CELL = /(?:"[^"]*(?:""[^"]*)*"|[^",]*)(,|$)/y;
const QUOTED = /"[^"]*(?:""[^"]*)*"(?!")/y;

function findQuoteFault(line: string): Fault | undefined {
  CELL.lastIndex = 0;
  for (let end: string | undefined = ','; end === ',';) {
    const at = CELL.lastIndex;
    end = CELL.exec(line)?.[1];
    QUOTED.lastIndex = at;
    if (end === undefined) return line[at] === '"' && !QUOTED.test(line) ? UNCLOSED : MISPLACED;
  }
  return undefined;
}

/**
 * Parses the cells of lines without faults (`findRowFault`), an array for each line. Cells are not trimmed.
 *
 * @param lines lines without their ends, none of them empty
 */
async function parseRows(lines: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  // Loaded only for a list with quotes.
  const { parse } = await import('fast-csv');
  const parser = parse<string[], string[]>({ headers: false });
  parser.on('data', (row: string[]) => rows.push(row));
  parser.end(lines.map(keepLeadingBlank).join('\n'));
  await finished(parser);
  // Rows are matched to lines by their number: a lost row would give each later row the line of another.
  if (rows.length !== lines.length) throw new Error(`${String(lines.length)} lines gave ${String(rows.length)} rows`);
  return rows;
}

/** Quotes a first cell of only blanks, which fast-csv would otherwise read as an empty cell. */
function keepLeadingBlank(line: string): string {
  return line.replace(/^\s+(?=,|$)/, '"$&"');
}
