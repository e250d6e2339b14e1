import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeChoice } from '../envelope/envelopes.js';
import { DataError } from '../errors.js';
import { formOf } from './form.js';
import type { ComparedSource, CompareOptions } from './options.js';
import { ReceivedForm } from './mismatch.js';
import type { RecordReader } from './records.js';

/** The beginnings of inputs are read in parts of this size, up to the most bytes that are kept of a pipe. */
const PART_BYTES = 1 << 16;
const MAX_PEEKED_BYTES = 4 << 20;

/** The inputs of a comparison, to be read from the start. */
interface PeekedInputs {
  readonly expected: ComparedSource;
  readonly received: readonly ComparedSource[];
  readonly opensEnvelopes: boolean;
  /** Ends the reading of inputs that has been begun. */
  readonly close: () => Promise<void>;
}

type Begun = AsyncGenerator<Uint8Array, undefined>;

/**
 * Looks at the beginnings of inputs. Envelopes are opened where the inputs are in different ones, or some in none, or if one is named.
 *
 * @throws DataError if no input is in the envelope that is named, and what reading throws
 */
export async function peekInputs(
  expected: ComparedSource,
  received: readonly ComparedSource[],
  { envelope, field, fields }: CompareOptions,
): Promise<PeekedInputs> {
  const begun: Begun[] = [];
  const close = async (): Promise<void> => {
    for (const chunks of begun) await chunks.return(undefined);
  };
  // Fields are compared with those of records, whatever is around these.
  if (envelope === 'none' || fields !== undefined) return { expected, received, opensEnvelopes: envelope !== 'none', close };
  const form = formOf({ field }, true, new ReceivedForm());
  const forms: (string | undefined)[] = [];
  const peeked: ComparedSource[] = [];
  try {
    for (const input of [expected, ...received]) {
      const opener = new EnvelopeOpener({ givesStamps: false });
      const reader = peeked.length === 0 ? form.sentReader(false, opener) : form.receivedReader(0, false, opener);
      peeked.push(await peek(input, reader, opener, begun));
      forms.push(opener.form);
    }
    requireEnvelope(envelope, [expected.source], forms);
  } catch (error) {
    await close();
    throw error;
  }
  const opensEnvelopes = envelope !== undefined || new Set(forms).size > 1;
  return { expected: peeked[0] ?? expected, received: peeked.slice(1), opensEnvelopes, close };
}

/** Refuses inputs of which none is in the envelope that is named. @param sources the first is the expected log @throws DataError */
export function requireEnvelope(
  envelope: EnvelopeChoice | undefined,
  [source = '']: readonly string[],
  forms: readonly (string | undefined)[],
): void {
  if (envelope === undefined || envelope === 'none' || forms.some((form) => form?.startsWith(envelope))) return;
  const problem = `neither its first record nor that of a received input is in the envelope ${envelope}`;
  throw new DataError({ source }, problem, (option) => `name the envelope of one of them, or leave out ${option('envelope')}`);
}

/** Reads the beginning of an input, until its envelope is known. @param begun takes the bytes of an input that cannot be read again */
async function peek(
  input: ComparedSource,
  reader: RecordReader,
  opener: EnvelopeOpener,
  begun: Begun[],
): Promise<ComparedSource> {
  const isDecided = (): boolean => opener.form !== undefined || opener.isPlain || bytes >= MAX_PEEKED_BYTES;
  const show = (chunk: Uint8Array): void => {
    // Blocks are read as they are asked for.
    Array.from(reader.read(chunk));
    bytes += chunk.length;
  };
  let bytes = 0;
  if (input.readAt !== undefined) {
    const buffer = Buffer.alloc(PART_BYTES);
    for (let length = -1; length !== 0 && !isDecided();) {
      length = input.readAt(buffer, bytes);
      show(buffer.subarray(0, length));
    }
    return input;
  }
  const chunks = iterate(input.chunks);
  begun.push(chunks);
  const first: Buffer[] = [];
  while (!isDecided()) {
    const next = await chunks.next();
    if (next.done === true) break;
    // A chunk is good until the next one is asked for.
    const chunk = Buffer.from(next.value);
    first.push(chunk);
    show(chunk);
  }
  return { ...input, chunks: continueWith(first, chunks) };
}

async function* iterate(chunks: ComparedSource['chunks']): Begun {
  yield* chunks;
  return undefined;
}

async function* continueWith(first: readonly Uint8Array[], chunks: Begun): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* chunks;
}
