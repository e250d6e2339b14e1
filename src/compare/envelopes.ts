import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeChoice } from '../envelope/envelopes.js';
import { DataError, type Phrase } from '../errors.js';
import { Peekable } from '../input/peekable.js';
import { formOf } from './form.js';
import { ReceivedForm } from './mismatch.js';
import type { ComparedSource, CompareOptions } from './options.js';

/** The most bytes of an input that are read to learn its envelope. */
const MAX_PEEKED_BYTES = 4 << 20;

interface PeekedInputs {
  readonly inputs: readonly ComparedSource[];
  readonly opensEnvelopes: boolean;
  /** The inputs whose first record is in the envelope that is named. */
  readonly inNamed: ReadonlySet<ComparedSource>;
  readonly close: () => Promise<void>;
}

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
  const inNamed = new Set<ComparedSource>();
  // Fields are compared with those of records, whatever is around these.
  if (envelope === 'none' || fields !== undefined)
    return { inputs, opensEnvelopes: envelope !== 'none', inNamed, close: () => Promise.resolve() };
  const peeked = inputs.map((input) => ({ ...input, chunks: new Peekable(input.chunks) }));
  const close = async (): Promise<void> => {
    for (const { chunks } of peeked) await chunks.close();
  };
  const form = formOf({ field }, true, new ReceivedForm());
  const openers: EnvelopeOpener[] = [];
  let [isEmpty, isKnown] = [true, true];
  try {
    for (const input of peeked) {
      const opener = new EnvelopeOpener({ givesStamps: false, isGrowing: envelope !== undefined });
      const reader = openers.length === 0 ? form.sentReader(false, opener) : form.receivedReader(0, false, opener);
      openers.push(opener);
      let bytes = 0;
      for await (const chunk of input.chunks.peek()) {
        bytes += chunk.length;
        Array.from(reader.read(chunk));
        if (hasBegun(opener) || bytes >= MAX_PEEKED_BYTES) break;
      }
      if (isIn(envelope, opener)) inNamed.add(input);
      isEmpty &&= bytes === 0;
      isKnown &&= bytes < MAX_PEEKED_BYTES || hasBegun(opener);
    }
    if (isKnown && !isEmpty) requireEnvelope(envelope, inputs[0]?.source, openers);
  } catch (error) {
    await close();
    throw error;
  }
  const areUnlike = new Set(openers.map((opener) => opener.form)).size > 1;
  return { inputs: peeked, opensEnvelopes: envelope !== undefined || areUnlike, inNamed, close };
}

/** True once it is known in which envelope an input is, or that it is in none. */
export function hasBegun({ form, isPlain }: EnvelopeOpener): boolean {
  return form !== undefined || isPlain;
}

/** Refuses inputs of which none is in the envelope that is named. @throws DataError */
export function requireEnvelope(
  envelope: EnvelopeChoice | undefined,
  source: string | undefined,
  openers: readonly EnvelopeOpener[],
): void {
  if (envelope === undefined || envelope === 'none' || openers.some((opener) => isIn(envelope, opener))) return;
  const problem = `neither its first record nor that of a received input is in the envelope ${envelope}`;
  const remedy: Phrase = (option) => `name the envelope of one of them, or leave out ${option('envelope')}`;
  throw new DataError({ source: source ?? '' }, problem, remedy);
}

function isIn(envelope: EnvelopeChoice | undefined, { form }: EnvelopeOpener): boolean {
  return envelope !== undefined && form?.startsWith(envelope) === true;
}
