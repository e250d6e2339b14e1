import type { Batches } from '../../src/log/group.js';

/** An input that brings a byte string in chunks cut at the given places. */
export async function* chunksOf(bytes: string, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((left, right) => left - right), bytes.length];
  for (const [index, from] of places.entries()) {
    await Promise.resolve();
    const until = places[index + 1];
    if (until !== undefined && until > from) yield Buffer.from(bytes.slice(from, until), 'latin1');
  }
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const given of source) all.push(given);
  return all;
}

export async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value);
}

export async function collectText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString('latin1');
  return text;
}

/** All that batches hold, and what ended them, if that was an error. */
export async function outcomeOf<T>(batches: Batches<T>): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const batch of batches) items.push(...batch);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}
