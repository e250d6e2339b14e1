/**
 * Gives bytes that can be read only once to two readers. Nothing is kept for the slower reader: the next block is read once both have
 * asked for it. So a block is valid for both until then, and both must be read at the same time, each once. Where a reader stops early,
 * the other goes on alone.
 *
 * @param blocks what they throw, both readers throw
 */
export function readInStep(blocks: AsyncIterable<Uint8Array>): readonly [AsyncIterable<Uint8Array>, AsyncIterable<Uint8Array>] {
  const iterator = blocks[Symbol.asyncIterator]();
  let readers = 2;
  let asking: ((next: Promise<IteratorResult<Uint8Array>>) => void)[] = [];
  /** Reads the next block once every reader has asked for it. */
  const answer = (): void => {
    if (asking.length < readers) return;
    const next = iterator.next();
    for (const resolve of asking) resolve(next);
    asking = [];
  };
  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = await new Promise<IteratorResult<Uint8Array>>((resolve) => {
          asking.push(resolve);
          answer();
        });
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      readers -= 1;
      if (readers === 0) await iterator.return?.();
      else if (asking.length > 0) answer();
    }
  };
  return [read(), read()];
}
