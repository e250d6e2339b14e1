import type { Rotation } from '../../output/rotation.js';
import { receive, type ReceiveOptions } from '../../receive/receive.js';
import { say } from '../messages.js';
import { runService } from '../run-service.js';

/** The options of `receive`, as meant. */
export interface ReceiveRun extends Omit<ReceiveOptions, 'onListening' | 'warn' | 'maxFileBytes'> {
  /** The file to append to, or `STDOUT`. */
  readonly outputFile: string;
  readonly rotation: Rotation | undefined;
  /** True if the run shows no progress on a terminal. */
  readonly quiet: boolean;
}

/** Runs `receive`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runReceive({ outputFile, rotation, quiet, ...options }: ReceiveRun): Promise<void> {
  const onListening = (address: string): void => {
    say(`listening on ${address}`);
  };
  const maxFileBytes = rotation?.maxBytes ?? Infinity;
  await runService({ outputFile, rotation, noun: 'line', usedFiles: [], quiet }, ({ output }, signal) =>
    receive({ ...options, maxFileBytes, onListening, warn: say }, output, signal),
  );
}
