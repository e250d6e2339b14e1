import { refuseUse } from '../../errors.js';
import { receive } from '../../receive/receive.js';
import { runCommand } from '../command-run.js';
import { nameFlag, say } from '../messages.js';
import { DEFAULT_PORT } from '../options/listening.js';
import { firstGiven, type RunOf } from '../options/option.js';
import { resolveRotation } from '../options/output.js';
import type { COMMAND } from './command.js';

export const RUN: RunOf<typeof COMMAND> = async (_args, options) => {
  const { fail, loseAnswer } = options;
  if (fail + loseAnswer > 1) throw refuseUse('fail', 'exceeds 1 together with --lose-answer', 'lower one of them');
  const form = firstGiven(options, 'failStatus', 'failBody');
  if (fail === 0 && form !== undefined) throw refuseUse(form, 'no request is to fail', 'give --fail with a share, such as 0.1');
  const tcp = options.tcp?.map((address) => ({ ...address, option: 'tcp' })) ?? [];
  const udp = options.udp?.map((address) => ({ ...address, option: 'udp' })) ?? [];
  const port = options.port ?? (tcp.length + udp.length > 0 ? undefined : DEFAULT_PORT);
  const useless = (['fail', 'failItems', 'loseAnswer', 'delay'] as const).find((key) => (options[key] ?? 0) > 0);
  if (port === undefined && useless !== undefined) throw refuseUse(useless, 'applies to HTTP only', 'give --port too');
  const rotation = resolveRotation(options, options.output);
  const onListening = (address: string): void => {
    say(`listening on ${address}`);
  };
  const parts = { port, tcp, udp, maxFileBytes: rotation?.maxBytes ?? Infinity };
  await runCommand({ ...options, rotation, noun: 'line', onSignal: 'end' }, async (run) => {
    const service = { ...options, ...parts, onListening, warn: say, nameOption: nameFlag };
    await receive(service, await run.openOutput(), run.signal);
    return run.stopped;
  });
};
