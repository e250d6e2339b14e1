import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FormMismatch } from '../compare/findings.js';
import { CallError, explainSystemError, formatPlace } from '../errors.js';
import { followPath, followStream, type Follower } from '../input/follower.js';
import { refuseReadAddress } from '../output/address.js';
import { usedFileError } from '../output/log-file.js';
import { countOf, formatCount, formatDuration, quoteBytes, quoteText, showBytes } from '../wording.js';
import type { CommandRun } from './command-run.js';
import { refuseSecondStdin, sourceOf, STDIN } from './inputs.js';
import { say } from './messages.js';
import { STDOUT } from './options/values.js';

/** Refuses an input that is named twice: each record of a received file would be duplicated. @param others other inputs */
export function refuseTwice(received: readonly string[], others: readonly (string | undefined)[], remedy: string): void {
  refuseSecondStdin([...received, ...others], remedy);
  const twice = received.find((name, index) => received.indexOf(name) < index);
  if (twice !== undefined) throw new CallError({ source: twice }, 'the received file is named twice', 'name it once');
}

/**
 * Follows a file, or `STDIN`, until the end of the run.
 * @param outputs those of the run: one that is an input which does not exist yet would make it
 * @throws CallError for an address, an input that is an output, and from the end, if the file cannot be read
 */
export function followInput(
  name: string,
  from: 'start' | 'end',
  run: CommandRun,
  outputs: readonly (string | undefined)[],
): Follower {
  refuseReadAddress(name);
  try {
    const stats = name === STDIN ? fstatSync(process.stdin.fd) : statSync(name, { throwIfNoEntry: false });
    const made = stats ? undefined : outputs.find((output = STDOUT) => output !== STDOUT && resolve(name) === resolve(output));
    if (made !== undefined) throw usedFileError(made, 'input');
    run.usedFiles.push({ stats, role: 'input' });
  } catch (error) {
    throw explainSystemError(error, name);
  }
  return run.closeAtEnd(name === STDIN ? followStream(process.stdin, sourceOf(name)) : followPath(name, from));
}

/** `20 outstanding, the oldest for 3 s` */
export function formatOutstanding({ outstanding, oldestMs }: Readonly<Record<'outstanding' | 'oldestMs', number>>): string {
  const oldest = outstanding === 0 ? '' : `, the oldest for ${formatDuration(Math.floor(oldestMs / 1000))}`;
  return `${formatCount(outstanding)} outstanding${oldest}`;
}

/** Says which inputs do not exist yet: a name may be wrong. */
export function sayWaitedFor(inputs: readonly Follower[]): void {
  for (const { source, hasAppeared } of inputs)
    if (!hasAppeared) say(`${formatPlace({ source })}: does not exist yet; it is waited for`);
}

/** Messages about inputs that were truncated while they were followed. */
export function describeTruncations(inputs: readonly Follower[]): readonly string[] {
  const truncated = inputs.filter(({ truncations }) => truncations > 0);
  return truncated.map(({ source, truncations }) => {
    const what = `was truncated ${countOf(truncations, 'time')} while it was followed`;
    return `${formatPlace({ source })} ${what}; what was written between the last look and a truncation was not read`;
  });
}

/** Makes the error for a file that never existed. @param time `within 3 s` */
export function refuseUnseen({ source }: Follower, time: string): CallError {
  return new CallError({ source }, `did not appear ${time}`, 'check its name');
}

/** `within 3 s`, `within 300 ms` */
export function within(waitMs: number): string {
  return `within ${waitMs % 1000 === 0 ? formatDuration(waitMs / 1000) : `${formatCount(waitMs)} ms`}`;
}

/** The number of keys of an object that a message names, and of characters of each. */
const SHOWN_KEYS = 10;
const SHOWN_CHARACTERS = 40;

export function listSources(names: readonly string[]): string {
  return names.map((name) => formatPlace({ source: sourceOf(name) })).join(', ');
}

/** Says why received inputs as a whole can hardly be compared, and what to give. @param path that of `--field` */
export function explainMismatch(mismatch: FormMismatch, path: string | undefined): string {
  if (mismatch.cause === 'is-json') return 'received is NDJSON; give --field or --fields';
  if (mismatch.cause === 'not-json')
    return "received is not NDJSON, one object a line; convert it with jq -c (an array with jq -c '.[]'), or leave out --field and --fields";
  if (mismatch.cause === 'exchanged') return 'received is not NDJSON, and the expected log is; name the log that was sent first';
  if (mismatch.cause === 'no-stamps') {
    const [these, those] = mismatch.side === 'sent' ? ['sent', 'received'] : ['received', 'sent'];
    return `the records ${these} have no timestamps of their own, those ${those} have; write the log with the driver of the other side, such as --envelope syslog`;
  }
  if (mismatch.cause === 'prefix') {
    const { length } = mismatch.prefix;
    return `each line has ${quoteBytes(mismatch.prefix)} before the record; take it off: LC_ALL=C sed 's/^.\\{${String(length)}\\}//' FILE`;
  }
  const { objects, without, keys } = mismatch;
  const field = path === undefined ? 'a field that --fields names' : `the field ${quoteText(path)}`;
  const names = keys.slice(0, SHOWN_KEYS).map((key) => showBytes(key, SHOWN_CHARACTERS));
  if (keys.length > SHOWN_KEYS) names.push('…');
  const shown = names.length === 0 ? 'no keys' : names.join(', ');
  if (without === objects) return `no received object has ${field}; the first has: ${shown}`;
  const some = `only ${String(objects - without)} of ${countOf(objects, 'received object')} have ${field}`;
  return `${some}; the first without has: ${shown}`;
}
