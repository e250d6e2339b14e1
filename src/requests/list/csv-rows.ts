import { finished } from 'node:stream/promises';
import type { Fault } from '../request.js';

/**
 * Finds the fault of a line (without its end) that is not a row of RFC 4180. fast-csv must be given whole, balanced lines: an
 * unclosed quote makes it take quadratic time and swallow all further lines, a lone CR splits a cell.
 *
 * @returns undefined for a line that fast-csv may parse
 */
export function findRowFault(line: string): Fault | undefined {
  if (line.includes('\r')) return { problem: 'a carriage return stands in the line', remedy: 'end lines with LF or CRLF' };
  return line.includes('"') ? findQuoteFault(line) : undefined;
}

const UNCLOSED: Fault = { problem: 'a quote is not closed', remedy: 'close it in the same line, write a quote in quotes as ""' };
const MISPLACED: Fault = {
  problem: 'a quote stands in a cell that is not quoted as a whole',
  remedy: 'quote the whole cell and double the quotes in it',
};

function findQuoteFault(line: string): Fault | undefined {
  for (let at = 0; at <= line.length;) {
    let end = line.indexOf(',', at);
    if (end === -1) end = line.length;
    if (line[at] === '"') {
      const close = findClosingQuote(line, at);
      if (close === -1) return UNCLOSED;
      end = close + 1;
      if (end < line.length && line[end] !== ',') return MISPLACED;
    } else if (hasQuote(line, at, end)) {
      return MISPLACED;
    }
    at = end + 1;
  }
  return undefined;
}

/** Finds the quote that closes the quote at `open`, skipping doubled quotes; -1 if there is none. */
function findClosingQuote(line: string, open: number): number {
  let close = line.indexOf('"', open + 1);
  while (close !== -1 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
  return close;
}

function hasQuote(line: string, from: number, until: number): boolean {
  for (let at = from; at < until; at += 1) if (line[at] === '"') return true;
  return false;
}

/**
 * Parses the cells of lines without faults (`findRowFault`), an array for each line. Cells are not trimmed.
 *
 * @param lines lines without their ends, none of them empty
 */
export async function parseRows(lines: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  // Loaded only for a list that is not plain (plain-rows.ts).
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
