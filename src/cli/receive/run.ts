import type { FailureOptions } from '../../receive/failures.js';
import { receive } from '../../receive/receive.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { say } from '../messages.js';

/** The options of `receive`. */
interface ReceiveOptions extends OutputOptions, Pick<FailureOptions, 'failBody' | 'seed'> {
  readonly host: string;
  /** 0 for any port that is free. */
  readonly port: number;
  /** The share of requests that are answered with 503. */
  readonly fail: number;
  /** The share of requests that get no answer. */
  readonly loseAnswer: number;
  /** In milliseconds. */
  readonly delay?: number | undefined;
}

/** Runs `receive`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runReceive(options: ReceiveOptions): Promise<void> {
  const { fail: failShare, loseAnswer: loseShare, delay: delayMs = 0 } = options;
  const { host, port, failBody, seed, rotation } = options;
  const maxFileBytes = rotation?.maxBytes ?? Infinity;
  const onListening = (address: string): void => {
    say(`listening on ${address}`);
  };
  const settings = { host, port, failShare, failBody, loseShare, delayMs, seed, maxFileBytes, onListening, warn: say };
  await runCommand({ ...options, noun: 'line', isService: true }, async (run) => {
    await receive(settings, await run.openOutput(), run.signal);
    return run.stopped;
  });
}
