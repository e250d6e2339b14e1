import { finished } from 'node:stream/promises';
import type { Fault } from '../request.js';

/**
 * What makes a line (without its end) no row of RFC 4180; undefined if fast-csv may have it. fast-csv needs whole, balanced lines:
 * an unclosed quote makes it take quadratic time and swallow all that follows, a lone CR splits a cell.
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

/** Where the quote stands that closes the one at `open`, doubled quotes passed over; -1 if none does. */
function findClosingQuote(line: string, open: number): number {
  let close = line.indexOf('"', open + 1);
  while (close !== -1 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
  return close;
}

function hasQuote(line: string, from: number, until: number): boolean {
  for (let at = from; at < until; at += 1) if (line[at] === '"') return true;
  return false;
}

/** fast-csv makes much garbage of a line; what it makes of so many lines is let go before the next, which keeps memory low. */
const LINES_AT_ONCE = 64;

/**
 * The cells of lines without faults (`findRowFault`), an array a line, as they stand: nothing is trimmed.
 *
 * @param lines without their ends, none of them empty
 */
export async function parseRows(lines: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) await parseSome(lines.slice(from, from + LINES_AT_ONCE), rows);
  // Rows are told apart by their number: one that is lost here would put all that follow on another's line.
  if (rows.length !== lines.length) throw new Error(`${String(lines.length)} lines gave ${String(rows.length)} rows`);
  return rows;
}

async function parseSome(lines: readonly string[], rows: string[][]): Promise<void> {
  // Loaded only for a list that needs it: plain lists do not (plain-rows.ts).
  const { parse } = await import('fast-csv');
  const parser = parse<string[], string[]>({ headers: false });
  parser.on('data', (row: string[]) => rows.push(row));
  parser.end(lines.map(keepLeadingBlank).join('\n'));
  await finished(parser);
}

/** fast-csv takes a first cell of nothing but blanks for an empty one, except in quotes. */
function keepLeadingBlank(line: string): string {
  return line.replace(/^\s+(?=,|$)/, '"$&"');
}
