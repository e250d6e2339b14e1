import type { Destination } from './destination.js';
import { TeeOutput } from './tee-output.js';

/** Makes a destination that writes everything to a copy first. Reopens, closes and leaves both. */
export function withCopy(destination: Destination, copy: Destination): Destination {
  return {
    output: new TeeOutput(copy.output, destination.output),
    stats: destination.stats,
    isContinued: destination.isContinued,
    findLastSecond: destination.findLastSecond,
    reopen: () => {
      copy.reopen();
      destination.reopen();
    },
    close: () => {
      try {
        destination.close();
      } finally {
        copy.close();
      }
    },
    leave: () => {
      destination.leave();
      copy.leave();
    },
  };
}
