// A process that runs the command line as built in dist/ once for each message: `{ args, cwd, input }`, where `input` is the file that
// standard input is. After each call stdout and stderr get a NUL, and the answer is the exit code.
import { closeSync, openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { main } from '../../dist/cli/main.cjs';

const BIN = fileURLToPath(new URL('../../bin/webmail-diaglog.js', import.meta.url));

// Each call adds listeners, which the end of its process would remove.
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);

process.on('message', ({ args, cwd, input }) => {
  void answer(args, cwd, input);
});

async function answer(args, cwd, input) {
  process.chdir(cwd);
  // A file that is opened gets the lowest descriptor that is free.
  closeSync(0);
  if (openSync(input, 'r') !== 0) throw new Error('standard input could not be replaced');
  process.exitCode = undefined;
  await main([process.execPath, BIN, ...args]);
  await setImmediate();
  const exit = process.exitCode ?? 0;
  process.exitCode = undefined;
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('\0', resolve));
  process.send(exit);
}
