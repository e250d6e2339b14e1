import { fstatSync } from 'node:fs';

/**
 * True if a file descriptor is a pipe or a socket, whose other end may stall. Its reads and writes are left to the event loop: a
 * blocking call would keep signal handlers from running.
 */
export function isPipe(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket();
}
