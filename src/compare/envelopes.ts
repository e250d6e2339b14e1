import { EnvelopeOpener } from '../envelope/envelope-opener.js';
import type { EnvelopeChoice } from '../envelope/envelopes.js';
import { DataError, type Phrase } from '../errors.js';
import type { Peekable } from '../input/peekable.js';
import { formOf } from './form.js';
import { ReceivedForm } from './mismatch.js';
import type { CompareOptions } from './options.js';

/** The most bytes of an input that are read to learn its envelope. */
const MAX_PEEKED_BYTES = 4 << 20;

/** Makes the openers of envelopes: of one that is named, or where the inputs, the expected log first, begin in different ones, or some in none. */
export async function findOpeners(
  inputs: readonly { readonly chunks: Peekable }[],
  { envelope, field, fields }: CompareOptions,
): Promise<readonly EnvelopeOpener[]> {
  const isGrowing = envelope !== undefined;
  if (envelope === 'none') return [];
  // Fields are compared with those of records, whatever is around these.
  if (fields !== undefined) return [new EnvelopeOpener({ isGrowing })];
  const form = formOf({ field }, true, new ReceivedForm());
  const openers: EnvelopeOpener[] = [];
  for (const { chunks } of inputs) {
    const opener = new EnvelopeOpener({ givesStamps: false, isGrowing });
    const reader = openers.length === 0 ? form.sentReader(false, opener) : form.receivedReader(0, false, opener);
    openers.push(opener);
    let bytes = 0;
    for await (const chunk of chunks.peek()) {
      bytes += chunk.length;
      Array.from(reader.read(chunk));
      if (hasBegun(opener) || bytes >= MAX_PEEKED_BYTES) break;
    }
  }
  if (envelope === undefined && new Set(openers.map((opener) => opener.form)).size === 1) return [];
  return openers.map((opener) => {
    return new EnvelopeOpener({ envelope: isIn(envelope, opener) ? envelope : undefined, givesStamps: false, isGrowing });
  });
}

/** Refuses inputs of which none is in the envelope that is named. @param isEnd false if more may come @throws DataError */
export function requireEnvelope(
  envelope: EnvelopeChoice | undefined,
  source: string,
  openers: readonly EnvelopeOpener[],
  isEnd: boolean,
): void {
  if (envelope === undefined || envelope === 'none' || openers.some((opener) => isIn(envelope, opener))) return;
  if (!isEnd && !openers.every(hasBegun)) return;
  const problem = `neither its first record nor that of a received input is in the envelope ${envelope}`;
  const remedy: Phrase = (option) => `name the envelope of one of them, or leave out ${option('envelope')}`;
  throw new DataError({ source }, problem, remedy);
}

/** True once it is known in which envelope an input is, or that it is in none. */
function hasBegun({ form, isPlain }: EnvelopeOpener): boolean {
  return form !== undefined || isPlain;
}

function isIn(envelope: EnvelopeChoice | undefined, { form }: EnvelopeOpener): boolean {
  return envelope !== undefined && form?.startsWith(envelope) === true;
}
