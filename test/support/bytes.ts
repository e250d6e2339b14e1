/** An input that brings a byte string in chunks cut at the given places. */
export async function* chunksOf(bytes: string, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((left, right) => left - right), bytes.length];
  for (const [index, from] of places.entries()) {
    await Promise.resolve();
    const until = places[index + 1];
    if (until !== undefined && until > from) yield Buffer.from(bytes.slice(from, until), 'latin1');
  }
}

/** All that an async iterable gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const given of source) all.push(given);
  return all;
}

/** An async iterable of values. */
export async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  for (const value of values) yield await Promise.resolve(value);
}

/** All bytes of an input, as a byte string. */
export async function collectText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString('latin1');
  return text;
}
