import type { FailureOptions } from '../../receive/failures.js';
import { receive, type ReceiveOptions } from '../../receive/receive.js';
import { runCommand, type OutputOptions } from '../command-run.js';
import { nameFlag } from '../flags.js';
import { say } from '../messages.js';

/** The options of `receive`: those of its output, and of the service. */
type ReceiveRunOptions = OutputOptions & Pick<ReceiveOptions, 'host' | 'port' | 'tcp' | 'udp'> & FailureOptions;

/** Runs `receive`. SIGINT and SIGTERM are its normal end. @throws the errors that `endWith` handles */
export async function runReceive(options: ReceiveRunOptions): Promise<void> {
  const maxFileBytes = options.rotation?.maxBytes ?? Infinity;
  const onListening = (address: string): void => {
    say(`listening on ${address}`);
  };
  await runCommand({ ...options, noun: 'line', isService: true }, async (run) => {
    const settings = { ...options, maxFileBytes, onListening, warn: say, nameOption: nameFlag };
    await receive(settings, await run.openOutput(), run.signal);
    return run.stopped;
  });
}
