/** The time between two states of a status line, and before the first. */
const STATUS_INTERVAL_MS = 250;

const ERASE_LINE = '\r\x1b[K';

let statusIsShown = false;

/** True once writing to stderr has failed. The program goes on as if messages were read. */
let isStderrLost = false;

/** Keeps the process alive when writing to stderr fails. To be called before anything is written there. */
export function watchStderr(): void {
  process.stderr.on('error', () => {
    isStderrLost = true;
  });
}

/** Writes a message to stderr: the line `webmail-diaglog: …`. @param message one line without LF, safe to print on a terminal */
export function say(message: string): void {
  eraseStatus();
  process.stderr.write(`webmail-diaglog: ${message}\n`);
}

/** Waits until stderr takes more (backpressure), so that messages do not pile up in memory. Does not wait for a reader that is gone. */
export async function drainMessages(): Promise<void> {
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
 * Shows on stderr how far a run has come, if stderr is a terminal that can erase a line.
 *
 * @param describe gives the status: one line, safe to print on a terminal
 * @param writesStdout true if stdout is written to meanwhile: on a terminal, stdout itself shows how far the run is
 * @returns a function that ends the status and erases its line
 */
export function showStatus(describe: () => string, writesStdout: boolean): () => void {
  const { stderr, stdout, env } = process;
  if (!stderr.isTTY || (writesStdout && stdout.isTTY) || env['TERM'] === 'dumb') return () => undefined;
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
