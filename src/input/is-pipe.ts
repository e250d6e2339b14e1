import { fstatSync } from 'node:fs';

/**
 * Whether a descriptor is a pipe or a socket: its other end may take its time. Such a one is left to the event loop; a blocking
 * read or write would keep signal handlers from running.
 */
export function isPipe(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket();
}
