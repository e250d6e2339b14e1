import { findRowFault, parseRows } from './csv-rows.js';
import type { Fault } from '../request.js';

/** A line that may be a row: its cells, or the fault that keeps it from being split into cells. */
export interface Row {
  readonly line: number;
  /** The line without its end. */
  readonly text: string;
  readonly cells: readonly string[];
  readonly fault: Fault | undefined;
}

/**
 * Parses the rows among whole lines: every line that is neither blank nor a comment.
 *
 * @param text lines that end in LF or CRLF; the end of the last line may be missing
 * @param firstLine the number of the first line
 */
export async function parseLines(text: string, firstLine: number): Promise<Row[]> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const rows: { line: number; text: string; fault: Fault | undefined }[] = [];
  const faultless: string[] = [];
  for (const [index, lineText] of lines.entries()) {
    // The LF may be missing at the end of the input: a CR there is not part of a line end.
    const ended = index < lines.length - 1 || text.endsWith('\n');
    const content = ended && lineText.endsWith('\r') ? lineText.slice(0, -1) : lineText;
    if (content.startsWith('#') || /^[ \t]*$/.test(content)) continue;
    const fault = findRowFault(content);
    rows.push({ line: firstLine + index, text: content, fault });
    if (fault === undefined) faultless.push(content);
  }
  const cells = (await parseRows(faultless)).values();
  return rows.map((row) => ({ ...row, cells: row.fault === undefined ? (cells.next().value ?? []) : [] }));
}
