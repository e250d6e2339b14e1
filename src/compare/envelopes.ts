import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeChoice } from '../envelope/envelopes.js';
import { DataError } from '../errors.js';
import { formOf } from './form.js';
import { ReceivedForm } from './mismatch.js';
import type { ComparedSource, CompareOptions } from './options.js';
import type { RecordReader } from './records.js';

/** The most bytes of an input that are read to learn its envelope, and the parts in which a file is. */
const MAX_PEEKED_BYTES = 4 << 20;
const PART_BYTES = 1 << 16;

/** The inputs of a comparison, to be read from the start. */
interface PeekedInputs {
  readonly inputs: readonly ComparedSource[];
  readonly opensEnvelopes: boolean;
  /** The inputs whose first record is in the envelope that is named. */
  readonly inNamed: ReadonlySet<ComparedSource>;
  /** Ends the reading that has been begun. */
  readonly close: () => Promise<void>;
}

type Chunks = AsyncGenerator<Uint8Array, undefined>;

/**
 * Looks at the beginnings of inputs. Envelopes are opened where the inputs are in different ones, or some in none, or if one is named:
 * that one is looked for until a record comes.
 *
 * @param inputs the expected log, then those received
 * @throws DataError if no input is in the envelope that is named, and what reading throws
 */
export async function peekInputs(
  inputs: readonly ComparedSource[],
  { envelope, field, fields }: CompareOptions,
): Promise<PeekedInputs> {
  const begun: Chunks[] = [];
  const close = async (): Promise<void> => {
    for (const chunks of begun) await chunks.return(undefined);
  };
  // Fields are compared with those of records, whatever is around these.
  const inNamed = new Set<ComparedSource>();
  if (envelope === 'none' || fields !== undefined) return { inputs, opensEnvelopes: envelope !== 'none', inNamed, close };
  const form = formOf({ field }, true, new ReceivedForm());
  const forms: (string | undefined)[] = [];
  const peeked: ComparedSource[] = [];
  let [isEmpty, isKnown] = [true, true];
  try {
    for (const input of inputs) {
      const opener = new EnvelopeOpener({ givesStamps: false, isGrowing: envelope !== undefined });
      const reader = forms.length === 0 ? form.sentReader(false, opener) : form.receivedReader(0, false, opener);
      const { source, bytes } = await peek(input, reader, opener, begun);
      peeked.push(source);
      forms.push(opener.form);
      if (isIn(envelope, opener.form)) inNamed.add(source);
      isEmpty &&= bytes === 0;
      isKnown &&= bytes < MAX_PEEKED_BYTES || opener.form !== undefined || opener.isPlain;
    }
    // The rest is known when all is read.
    if (isKnown && !isEmpty) requireEnvelope(envelope, inputs[0], forms);
  } catch (error) {
    await close();
    throw error;
  }
  const opensEnvelopes = envelope !== undefined || new Set(forms).size > 1;
  return { inputs: peeked, opensEnvelopes, inNamed, close };
}

/** Refuses inputs of which none is in the envelope that is named. @throws DataError */
export function requireEnvelope(
  envelope: EnvelopeChoice | undefined,
  { source }: Pick<ComparedSource, 'source'> = { source: '' },
  forms: readonly (string | undefined)[],
): void {
  if (envelope === undefined || envelope === 'none' || forms.some((form) => isIn(envelope, form))) return;
  const problem = `neither its first record nor that of a received input is in the envelope ${envelope}`;
  throw new DataError({ source }, problem, (option) => `name the envelope of one of them, or leave out ${option('envelope')}`);
}

function isIn(envelope: EnvelopeChoice | undefined, form: string | undefined): boolean {
  return envelope !== undefined && form?.startsWith(envelope) === true;
}

/** Reads the beginning of an input, until its envelope is known. @param begun takes the bytes of an input that cannot be read again */
async function peek(
  input: ComparedSource,
  reader: RecordReader,
  opener: EnvelopeOpener,
  begun: Chunks[],
): Promise<{ readonly source: ComparedSource; readonly bytes: number }> {
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
    return { source: input, bytes };
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
  return { source: { ...input, chunks: continueWith(first, chunks) }, bytes };
}

async function* iterate(chunks: ComparedSource['chunks']): Chunks {
  yield* chunks;
  return undefined;
}

async function* continueWith(first: readonly Uint8Array[], chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* chunks;
}
