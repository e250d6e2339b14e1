import { readFileSync } from 'node:fs';

const CHECK_MS = 1000;

/**
 * Watches the npx that has started this process, if there is one: npx forwards signals to its shell at most, so a run would go on
 * without npx. The parent of this process is npx, or a shell that npx has started. When npx or the shell ends, its child gets another
 * parent.
 *
 * @param onEnd called once, when npx or its shell has ended
 * @returns a function that ends the watching
 */
export function watchNpx(onEnd: () => void): () => void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env;
  // In a script that npx runs, this process may be meant to outlive npx.
  if (event !== 'npx' || script?.includes('webmail-diaglog') !== true) return () => undefined;
  const { ppid } = process;
  const grandparent = isShell(ppid) ? parentOf(ppid) : undefined;
  const timer = setInterval(() => {
    if (process.ppid === ppid && (grandparent === undefined || parentOf(ppid) === grandparent)) return;
    clearInterval(timer);
    onEnd();
  }, CHECK_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

/** True for a shell that runs a single command: `sh -c …`. False where there is no /proc. */
function isShell(pid: number): boolean {
  return readProcess(pid, 'cmdline').split('\0')[1] === '-c';
}

/** The parent of a process; undefined if the process has ended. */
function parentOf(pid: number): number | undefined {
  // The name of the program, in parentheses, may hold anything.
  const [, parent] = /^.*\) \S (\d+) /s.exec(readProcess(pid, 'stat')) ?? [];
  return parent === undefined ? undefined : Number(parent);
}

/** Reads a file of Linux about a process; empty where there is none. */
function readProcess(pid: number, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
