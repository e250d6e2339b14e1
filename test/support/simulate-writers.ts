import { closeSync, fstatSync, openSync, renameSync, statSync, truncateSync, writeSync, type Stats } from 'node:fs';
import fc from 'fast-check';

/** What the writers of a file, or whoever rotates it, do next. */
export type WriterStep =
  /** A writer writes whole lines, and perhaps half a line, whose rest it writes first the next time. */
  | { readonly act: 'write'; readonly writer: 0 | 1; readonly lines: number; readonly half: number }
  /** The file is renamed; the writers go on in it until they reopen the path. */
  | { readonly act: 'rename'; readonly isMadeAnew: boolean }
  | { readonly act: 'reopen'; readonly writer: 0 | 1 }
  | { readonly act: 'truncate' }
  | { readonly act: 'pause'; readonly ms: number };

const writer = fc.constantFrom<0 | 1>(0, 1);

export const writerSteps: fc.Arbitrary<readonly WriterStep[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ act: fc.constant('write'), writer, lines: fc.nat(5), half: fc.nat(60) }) },
    { weight: 6, arbitrary: fc.record({ act: fc.constant('pause'), ms: fc.constantFrom(0, 20, 40, 300, 4800, 7000) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('rename'), isMadeAnew: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('reopen'), writer }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('truncate') }) },
  ),
  { minLength: 1, maxLength: 40 },
);

const LOOK_MS = 20;

/** A renamed file is read on while it is not silent for 5 s: a writer that pauses longer reopens the path first. */
const SILENCE_MS = 5000;

interface SimulationOptions {
  readonly path: string;
  /** Gives the next line to write: a byte string without LF that begins as a line does. */
  readonly nextLine: (nowMs: number) => string;
  readonly onLook: (nowMs: number) => void | Promise<void>;
}

/** What was written, and what a follower may have missed. */
interface Simulated {
  readonly lines: readonly string[];
  /** Lines that were written between the last look and a truncation, or after a renamed file was silent for too long. */
  readonly atRisk: ReadonlySet<string>;
  /** True if bytes were truncated that a look had found: only then can anybody tell. */
  readonly isTruncated: boolean;
  readonly nowMs: number;
}

/** A writer: its open file, and the rest of the line that it has begun. */
interface Writer {
  fd: number;
  inode: number;
  begun: { readonly line: string; readonly rest: string } | undefined;
}

/** Writes real files in simulated time, with a look each 20 ms. */
export async function simulateWriters(
  steps: readonly WriterStep[],
  { path, nextLine, onLook }: SimulationOptions,
): Promise<Simulated> {
  let nowMs = 0;
  let renamed = 0;
  const lines: string[] = [];
  const atRisk = new Set<string>();
  /** By files: when they were last written to, or lost their name; and the lines since the last look. */
  const activeMs = new Map<number, number>();
  const unseen = new Map<number, Set<string>>();
  const old = new Set<number>();
  const open = (): Writer => {
    const fd = openSync(path, 'a');
    return { fd, inode: fstatSync(fd).ino, begun: undefined };
  };
  const writers: [Writer, Writer] = [open(), open()];
  const put = (by: Writer, text: string, line: string): void => {
    writeSync(by.fd, Buffer.from(text, 'latin1'));
    activeMs.set(by.inode, nowMs);
    unseen.set(by.inode, (unseen.get(by.inode) ?? new Set()).add(line));
  };
  const isLeft = ({ inode }: Writer): boolean => old.has(inode) && nowMs - (activeMs.get(inode) ?? 0) >= SILENCE_MS - LOOK_MS;
  const finish = (by: Writer): void => {
    if (by.begun === undefined) return;
    if (isLeft(by)) atRisk.add(by.begun.line);
    put(by, `${by.begun.rest}\n`, by.begun.line);
    by.begun = undefined;
  };
  const reopen = (by: Writer): void => {
    finish(by);
    closeSync(by.fd);
    Object.assign(by, open());
  };
  let found: Stats | undefined;
  let isTruncated = false;
  const look = async (): Promise<void> => {
    await onLook(nowMs);
    unseen.clear();
    found = statSync(path, { throwIfNoEntry: false });
  };
  await look();
  for (const step of steps) {
    if (step.act === 'write') {
      const by = writers[step.writer];
      if (isLeft(by)) reopen(by);
      // Two that append to one file write whole lines, or else nobody could tell them.
      for (const other of writers) if (other.inode === by.inode) finish(other);
      for (let count = 0; count < step.lines; count += 1) {
        const line = nextLine(nowMs);
        lines.push(line);
        put(by, `${line}\n`, line);
      }
      if (step.half > 0) {
        const line = nextLine(nowMs);
        lines.push(line);
        put(by, line.slice(0, step.half), line);
        by.begun = { line, rest: line.slice(step.half) };
      }
    } else if (step.act === 'rename') {
      const named = statSync(path, { throwIfNoEntry: false });
      if (named === undefined) continue;
      // A file that has the name between two looks alone is seen by nobody.
      if (found?.ino !== named.ino) await look();
      renamed += 1;
      renameSync(path, `${path}.${String(renamed)}`);
      old.add(named.ino);
      activeMs.set(named.ino, nowMs);
      if (step.isMadeAnew) closeSync(openSync(path, 'a'));
    } else if (step.act === 'reopen') {
      reopen(writers[step.writer]);
    } else if (step.act === 'truncate') {
      const named = statSync(path, { throwIfNoEntry: false });
      if (named === undefined) continue;
      for (const line of unseen.get(named.ino) ?? []) atRisk.add(line);
      isTruncated ||= found?.ino === named.ino && found.size > 0;
      truncateSync(path);
    } else {
      for (const until = nowMs + step.ms; nowMs < until;) {
        nowMs += LOOK_MS;
        await look();
      }
    }
  }
  for (const by of writers) {
    finish(by);
    closeSync(by.fd);
  }
  await look();
  return { lines, atRisk, isTruncated, nowMs };
}
