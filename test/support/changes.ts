/** A change of the lines of a log, each with its LF. Lines are counted from 1. */
export type Change = (lines: readonly string[]) => readonly string[];

export const linesOf = (log: string): readonly string[] => log.split(/(?<=\n)/);

export const edit =
  (line: number, from: string | RegExp, to: string): Change =>
  (lines) => {
    const before = lines[line - 1] ?? '';
    const after = before.replace(from, to);
    if (after === before) throw new Error(`line ${String(line)} has no ${String(from)}`);
    return lines.with(line - 1, after);
  };

/** Changes, one after the other. */
export const all =
  (...changes: readonly Change[]): Change =>
  (lines) =>
    changes.reduce<readonly string[]>((changed, change) => change(changed), lines);

export const editAll = (first: number, last: number, from: string, to: string): Change =>
  all(...Array.from({ length: last - first + 1 }, (_, index) => edit(first + index, from, to)));

export const drop =
  (line: number, count = 1): Change =>
  (lines) =>
    lines.toSpliced(line - 1, count);

export const insert =
  (line: number, text: string): Change =>
  (lines) =>
    lines.toSpliced(line - 1, 0, text);

export const twice =
  (line: number): Change =>
  (lines) =>
    insert(line, lines[line - 1] ?? '')(lines);

export const swap =
  (line: number): Change =>
  (lines) =>
    lines.toSpliced(line - 1, 2, lines[line] ?? '', lines[line - 1] ?? '');
