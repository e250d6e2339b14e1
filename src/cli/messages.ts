/** How often a status line changes, and how long it takes until there is one. */
const STATUS_INTERVAL_MS = 250;

const ERASE_LINE = '\r\x1b[K';

let statusIsShown = false;

/** Whether writing to stderr has failed. There is nowhere to say so, and what the program does must not depend on it. */
let isStderrLost = false;

/** To be called first: keeps a stderr that fails from ending the process. */
export function watchStderr(): void {
  process.stderr.on('error', () => {
    isStderrLost = true;
  });
}

/** Writes one line to stderr: `webmail-diaglog: …`. */
export function say(message: string): void {
  eraseStatus();
  process.stderr.write(`webmail-diaglog: ${message}\n`);
}

/** Waits for a reader of stderr that is slower than the messages, so that they do not pile up in memory; not for one that is gone. */
export async function messagesTaken(): Promise<void> {
  const { stderr } = process;
  if (!stderr.writableNeedDrain || isStderrLost) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stderr.off('drain', done).off('error', done);
      resolve();
    };
    stderr.on('drain', done).on('error', done);
  });
}

/**
 * Shows on stderr how far a run has come, where that is a terminal that can erase a line.
 *
 * @param stdoutIsUsed whether stdout is written to meanwhile: where that is a terminal too, one sees there how far it is
 * @returns ends it and leaves no trace
 */
export function showStatus(describe: () => string, stdoutIsUsed: boolean): () => void {
  const { stderr, stdout, env } = process;
  if (!stderr.isTTY || (stdoutIsUsed && stdout.isTTY) || env['TERM'] === 'dumb') return () => undefined;
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
