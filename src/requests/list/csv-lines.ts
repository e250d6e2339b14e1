import { findRowFault, parseRows } from './csv-rows.js';
import type { Fault } from '../request.js';

/** A line that may be a row: its cells, or what is wrong with it before cells can be told. */
export interface Row {
  readonly line: number;
  /** Without its end. */
  readonly text: string;
  readonly cells: readonly string[];
  readonly fault: Fault | undefined;
}

/**
 * The rows of some whole lines: every line that is neither blank nor a comment.
 *
 * @param text lines, each with its LF or CRLF; the last one may lack it
 * @param firstLine the number of the first of them
 */
export async function parseLines(text: string, firstLine: number): Promise<Row[]> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const rows: { line: number; text: string; fault: Fault | undefined }[] = [];
  const sound: string[] = [];
  for (const [index, lineText] of lines.entries()) {
    // At the end of the input a line may lack its LF: a CR there ends nothing.
    const ended = index < lines.length - 1 || text.endsWith('\n');
    const content = ended && lineText.endsWith('\r') ? lineText.slice(0, -1) : lineText;
    if (content.startsWith('#') || /^[ \t]*$/.test(content)) continue;
    const fault = findRowFault(content);
    rows.push({ line: firstLine + index, text: content, fault });
    if (fault === undefined) sound.push(content);
  }
  const cells = (await parseRows(sound)).values();
  return rows.map((row) => ({ ...row, cells: row.fault === undefined ? (cells.next().value ?? []) : [] }));
}
