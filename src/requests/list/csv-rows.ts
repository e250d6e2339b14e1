import { finished } from 'node:stream/promises';
import { cutLogLines } from '../../input/log-lines.js';
import { countLines, type Chunks } from '../../lines.js';
import type { Refusal } from '../request.js';

/** Blocks smaller than a read take less time and memory. */
const LIMITS = { maxLineBytes: 1 << 20, shownBytes: 256, blockBytes: 1 << 14 };

interface LineBlock {
  readonly line: number;
  /** A byte string. The end of the last line may be missing. */
  readonly text: string;
  readonly overlong: boolean;
}

/** Reads the lines of a list in numbered blocks, without a byte order mark. */
export async function* readLines(chunks: Chunks): AsyncGenerator<LineBlock> {
  let line = 1;
  for await (const { bytes, overlong } of cutLogLines(chunks, LIMITS)) {
    yield { line, text: bytes.toString('latin1'), overlong };
    line += overlong ? 1 : countLines(bytes);
  }
}

export interface Row {
  readonly line: number;
  /** The cells; of a line that is not CSV, its text (without its end) as a single cell. */
  readonly cells: readonly string[];
  readonly refusal?: Refusal | undefined;
}

const OVERLONG: Refusal = { problem: 'the line is longer than 1 MiB', remedy: 'shorten it' };

export async function* readRows(chunks: Chunks): AsyncGenerator<readonly Row[]> {
  for await (const { line, text, overlong } of readLines(chunks))
    yield overlong ? [{ line, cells: [''], refusal: OVERLONG }] : await parseLines(text, line);
}

/** Parses whole lines, which may end in CRLF, into rows. Blank lines and comments are skipped. */
async function parseLines(text: string, firstLine: number): Promise<readonly Row[]> {
  // At the end of the input, a CR without an LF is not part of a line end.
  const lines = text.replaceAll('\r\n', '\n');
  return lines.includes('"') || lines.includes('\r') ? parseQuotedLines(lines, firstLine) : splitLines(lines, firstLine);
}

function splitLines(text: string, firstLine: number): readonly Row[] {
  const rows: Row[] = [];
  // Each comma is searched for once: a search per line would take quadratic time in lines without commas.
  let comma = text.indexOf(',');
  for (let [line, at] = [firstLine, 0]; at < text.length; line += 1) {
    const lf = text.indexOf('\n', at);
    const end = lf === -1 ? text.length : lf;
    const cells: string[] = [];
    for (; comma !== -1 && comma < end; comma = text.indexOf(',', at)) {
      cells.push(text.slice(at, comma));
      at = comma + 1;
    }
    cells.push(text.slice(at, end));
    if (!isSkipped(cells)) rows.push({ line, cells });
    at = end + 1;
  }
  return rows;
}

function isSkipped([first = '', second]: readonly string[]): boolean {
  return first.startsWith('#') || (second === undefined && /^[ \t]*$/.test(first));
}

async function parseQuotedLines(text: string, firstLine: number): Promise<readonly Row[]> {
  const rows = text
    .split('\n')
    .map((line, index): Row => ({ line: firstLine + index, cells: [line], refusal: checkCsvLine(line) }))
    .filter(({ cells }) => !isSkipped(cells));
  const parsed = (await parseRows(rows.flatMap(({ cells, refusal }) => (refusal === undefined ? cells : [])))).values();
  return rows.map((row) => (row.refusal === undefined ? { ...row, cells: parsed.next().value ?? [] } : row));
}

const LONE_CR: Refusal = { problem: 'the line contains a carriage return', remedy: 'end lines with LF or CRLF' };
const MISPLACED: Refusal = {
  problem: 'a quote is not closed on its line, or its cell is not quoted as a whole',
  remedy: 'quote the whole cell, and write a quote in it as ""',
};

/** Cells that are wholly quoted or without quotes. */
const ROW = /^(?:"[^"]*(?:""[^"]*)*"|[^",]*)(?:,(?:"[^"]*(?:""[^"]*)*"|[^",]*))*$/;

/**
 * Refuses a line (without its end) that is not a row of RFC 4180. fast-csv takes quadratic time with an unclosed quote and swallows all
 * further lines; a lone CR splits a cell.
 */
function checkCsvLine(line: string): Refusal | undefined {
  if (line.includes('\r')) return LONE_CR;
  return ROW.test(line) ? undefined : MISPLACED;
}

/** Parses the cells of lines that `checkCsvLine` accepts, untrimmed. */
async function parseRows(lines: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  // Loaded only for lists with quotes.
  const { parse } = await import('fast-csv');
  const parser = parse<string[], string[]>({ headers: false });
  parser.on('data', (row: string[]) => rows.push(row));
  // fast-csv would read a first cell of whitespace as an empty one.
  parser.end(lines.map((line) => line.replace(/^\s+(?=,|$)/, '"$&"')).join('\n'));
  await finished(parser);
  // Rows are matched to lines by index: a lost row would give all later rows wrong lines.
  if (rows.length !== lines.length) throw new Error(`${String(lines.length)} lines gave ${String(rows.length)} rows`);
  return rows;
}
