import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeChoice } from '../envelope/envelopes.js';
import { DataError, type Phrase } from '../errors.js';
import { formOf } from './form.js';
import { ReceivedForm } from './mismatch.js';
import type { ComparedSource, CompareOptions } from './options.js';

/** The most bytes of an input that are read to learn its envelope, and the parts in which a file is. */
const MAX_PEEKED_BYTES = 4 << 20;
const PART_BYTES = 1 << 16;

interface PeekedInputs {
  readonly inputs: readonly ComparedSource[];
  readonly opensEnvelopes: boolean;
  /** The inputs whose first record is in the envelope that is named. */
  readonly inNamed: ReadonlySet<ComparedSource>;
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
  const inNamed = new Set<ComparedSource>();
  // Fields are compared with those of records, whatever is around these.
  if (envelope === 'none' || fields !== undefined) return { inputs, opensEnvelopes: envelope !== 'none', inNamed, close };
  const form = formOf({ field }, true, new ReceivedForm());
  const forms: (string | undefined)[] = [];
  const peeked: ComparedSource[] = [];
  let [isEmpty, isKnown] = [true, true];
  try {
    for (const input of inputs) {
      const opener = new EnvelopeOpener({ givesStamps: false, isGrowing: envelope !== undefined });
      const reader = forms.length === 0 ? form.sentReader(false, opener) : form.receivedReader(0, false, opener);
      let bytes = 0;
      const isRecognised = (): boolean => opener.form !== undefined || opener.isPlain;
      const source = await peek(input, begun, (chunk) => {
        bytes += chunk.length;
        Array.from(reader.read(chunk));
        return isRecognised() || bytes >= MAX_PEEKED_BYTES;
      });
      peeked.push(source);
      forms.push(opener.form);
      if (isIn(envelope, opener.form)) inNamed.add(source);
      isEmpty &&= bytes === 0;
      isKnown &&= bytes < MAX_PEEKED_BYTES || isRecognised();
    }
    if (isKnown && !isEmpty) requireEnvelope(envelope, inputs[0]?.source, forms);
  } catch (error) {
    await close();
    throw error;
  }
  return { inputs: peeked, opensEnvelopes: envelope !== undefined || new Set(forms).size > 1, inNamed, close };
}

/** Refuses inputs of which none is in the envelope that is named. @throws DataError */
export function requireEnvelope(
  envelope: EnvelopeChoice | undefined,
  source: string | undefined,
  forms: readonly (string | undefined)[],
): void {
  if (envelope === undefined || envelope === 'none' || forms.some((form) => isIn(envelope, form))) return;
  const problem = `neither its first record nor that of a received input is in the envelope ${envelope}`;
  const remedy: Phrase = (option) => `name the envelope of one of them, or leave out ${option('envelope')}`;
  throw new DataError({ source: source ?? '' }, problem, remedy);
}

function isIn(envelope: EnvelopeChoice | undefined, form: string | undefined): boolean {
  return envelope !== undefined && form?.startsWith(envelope) === true;
}

/**
 * Shows the beginning of an input until `show` has seen enough. Returns the input, to be read from the start.
 *
 * @param begun takes the bytes of an input that cannot be read again
 */
async function peek(input: ComparedSource, begun: Chunks[], show: (chunk: Uint8Array) => boolean): Promise<ComparedSource> {
  if (input.readAt !== undefined) {
    const part = Buffer.alloc(PART_BYTES);
    for (let [at, length] = [0, input.readAt(part, 0)]; length > 0 && !show(part.subarray(0, length));) {
      at += length;
      length = input.readAt(part, at);
    }
    return input;
  }
  const chunks = iterate(input.chunks);
  begun.push(chunks);
  const first: Buffer[] = [];
  for (let isEnough = false; !isEnough;) {
    const next = await chunks.next();
    if (next.done === true) break;
    const chunk = Buffer.from(next.value);
    first.push(chunk);
    isEnough = show(chunk);
  }
  return { ...input, chunks: continueWith(first, chunks) };
}

async function* iterate(chunks: ComparedSource['chunks']): Chunks {
  yield* chunks;
  return undefined;
}

async function* continueWith(first: readonly Uint8Array[], chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* chunks;
}
