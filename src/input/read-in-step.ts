/**
 * Gives bytes to two readers, to be read at the same time and to their end: the next block is read once both have asked for it. A
 * block is valid until then.
 */
export function readInStep(blocks: AsyncIterable<Uint8Array>): readonly [AsyncIterable<Uint8Array>, AsyncIterable<Uint8Array>] {
  const iterator = blocks[Symbol.asyncIterator]();
  const asking: ((next: Promise<IteratorResult<Uint8Array>>) => void)[] = [];
  const read = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve) => {
        asking.push(resolve);
        if (asking.length < 2) return;
        const block = iterator.next();
        for (const answer of asking.splice(0)) answer(block);
      });
      if (next.done === true) return;
      yield next.value;
    }
  };
  return [read(), read()];
}
