import { once } from 'node:events';

/** How often a status line changes, and how long it takes until there is one. */
const STATUS_INTERVAL_MS = 250;

const ERASE_LINE = '\r\x1b[K';

let statusIsShown = false;

/** Writes one line to stderr: `webmail-diaglog: …`. */
export function say(message: string): void {
  eraseStatus();
  process.stderr.write(`webmail-diaglog: ${message}\n`);
}

/** Waits for a reader of stderr that is slower than the messages, so that they do not pile up in memory. */
export async function messagesTaken(): Promise<void> {
  if (process.stderr.writableNeedDrain) await once(process.stderr, 'drain');
}

/**
 * Shows on stderr how far a run has come, where that is a terminal that can erase a line, and stdout is none (there one sees the
 * log itself).
 *
 * @returns ends it and leaves no trace
 */
export function showStatus(describe: () => string): () => void {
  if (!process.stderr.isTTY || process.stdout.isTTY || process.env['TERM'] === 'dumb') return () => undefined;
  const timer = setInterval(() => {
    process.stderr.write(`${ERASE_LINE}${describe()}`);
    statusIsShown = true;
  }, STATUS_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    eraseStatus();
  };
}

function eraseStatus(): void {
  if (statusIsShown) process.stderr.write(ERASE_LINE);
  statusIsShown = false;
}

/** `1 group`, `2 groups`. */
export function countOf(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
