import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import type { NameOption } from '../errors.js';
import { formatCount, formatDuration } from '../wording.js';

const STATUS_DELAY_MS = 1000;
const STATUS_INTERVAL_MS = 250;

const STDERR_FD = 2;
const USUAL_COLUMNS = 80;
const ERASE_LINE = '\r\x1b[K';

let statusIsShown = false;

/** Undefined until there is something to write: the first use of `process.stderr` takes a while. */
let stderr: NodeJS.WriteStream | undefined;

/** True once writing to stderr has failed. The program goes on as if messages were read. */
let isStderrLost = false;

export function writeStderr(text: string): void {
  if (stderr === undefined) {
    stderr = process.stderr;
    stderr.on('error', () => (isStderrLost = true));
  }
  stderr.write(text);
}

/** Writes a message to stderr: the line `webmail-diaglog: …`. @param message one line without LF, safe to print on a terminal */
export function say(message: string): void {
  eraseStatus();
  writeStderr(`webmail-diaglog: ${message}\n`);
}

/** Waits until stderr takes more (backpressure), so that messages do not pile up in memory. Does not wait for a reader that is gone. */
export async function drainMessages(): Promise<void> {
  if (stderr?.writableNeedDrain !== true || isStderrLost) return;
  await once(stderr, 'drain').catch(() => undefined);
}

/**
 * Shows a status line on stderr after a second, if stderr is a terminal that can erase a line, until the function that is returned is called.
 * @param describe gives the status after some milliseconds: parts of a line, safe to print on a terminal, the most important first
 */
export function showStatus(describe: (elapsedMs: number) => readonly string[], columnsOf = stderrColumns): () => void {
  if (columnsOf() === undefined) return () => undefined;
  // Not `performance.now`, which would load a module of Node for runs that show nothing.
  const start = process.uptime();
  const show = (): void => {
    // A line that the terminal breaks could not be erased.
    const status = describe((process.uptime() - start) * 1000);
    writeStderr(`${ERASE_LINE}${joinWithin(status, (columnsOf() ?? USUAL_COLUMNS) - 1)}`);
    statusIsShown = true;
    timer = setTimeout(show, STATUS_INTERVAL_MS);
  };
  let timer = setTimeout(show, STATUS_DELAY_MS);
  return () => {
    clearTimeout(timer);
    eraseStatus();
  };
}

/** The dots tell that a number before them may be cut, and so another number. */
function joinWithin(parts: readonly string[], width: number): string {
  const line = parts.join(', ');
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 3))}...`.slice(0, width);
}

/** The width of stderr, if it is a terminal that can erase a line. `process.stderr`, whose first use takes time, is asked of a device only. */
function stderrColumns(): number | undefined {
  const isTerminal = fstatSync(STDERR_FD).isCharacterDevice() && process.stderr.isTTY;
  if (!isTerminal || process.env['TERM'] === 'dumb') return undefined;
  return process.stderr.columns || USUAL_COLUMNS;
}

export function eraseStatus(): void {
  if (statusIsShown) writeStderr(ERASE_LINE);
  statusIsShown = false;
}

/** The flag of an option by its key: `--install-root` for `installRoot`. */
export function flagOf(key: string): string {
  return key.startsWith('-') ? key : `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Names an option as it is typed: `--order sort`. Only the command knows flags; errors carry keys. */
export const nameFlag: NameOption = (key, value) => (value === undefined ? flagOf(key) : `${flagOf(key)} ${value}`);

export interface Progress {
  /** The part of all work that is done, 0 to 1; undefined for a run whose end is unknown. */
  readonly share: number | undefined;
  readonly done: number;
  /** `B` for bytes, else a noun in the singular: `group`. */
  readonly unit: string;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats progress in parts: `43 %`, `1.2 GB`, `310 MB/s`, `5 s left`; if the end is unknown `430,000 groups`, `120,000 groups/s`. */
export function formatProgress({ share, done, unit }: Progress, elapsedMs: number): readonly string[] {
  const parts = [formatAmount(done, unit), `${formatAmount((done * 1000) / elapsedMs, unit)}/s`];
  if (share === undefined) return parts;
  const leftMs = share > 0 ? (elapsedMs * (1 - share)) / share : Infinity;
  const left = leftMs < Infinity ? [`${formatDuration(Math.ceil(leftMs / 1000))} left`] : [];
  return [`${String(Math.floor(share * 100))} %`, ...parts, ...left];
}

function formatAmount(amount: number, unit: string): string {
  if (unit !== 'B') {
    const shown = amount < 10 && !Number.isInteger(amount) ? amount.toFixed(1) : formatCount(Math.round(amount));
    return `${shown} ${unit}${shown === '1' ? '' : 's'}`;
  }
  const power = amount < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(amount) / 3));
  const scaled = amount / 1000 ** power;
  return `${scaled.toFixed(power > 0 && scaled < 10 ? 1 : 0)} ${BYTE_UNITS[power] ?? ''}`;
}
