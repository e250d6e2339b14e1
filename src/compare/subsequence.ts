/**
 * The heaviest increasing subsequence: of elements in a given order, those with ascending keys whose weights come to the most. A
 * Fenwick tree over the ranks of the keys gives the best predecessor of each element: O(n log n).
 *
 * @param keys no two are equal
 * @param weights above 0
 * @returns 1 for each element that belongs to it, else 0
 */
export function heaviestIncreasing(keys: Float64Array, weights: Float64Array): Uint8Array {
  const { length } = keys;
  const ranks = ranksOf(keys);
  // Elements are counted from 1, and 0 stands for none: the weight of the heaviest chain that ends in each, and the one before it there.
  const totals = new Float64Array(length + 1);
  const predecessors = new Int32Array(length + 1);
  const totalOf = (element: number): number => totals[element] ?? 0;
  // The element with the heaviest chain among those ranks that each node of the tree stands for.
  const tree = new Int32Array(length);
  let last = 0;
  for (let element = 1; element <= length; element += 1) {
    const rank = ranks[element - 1] ?? 0;
    let best = 0;
    for (let node = rank; node > 0; node -= node & -node) {
      const candidate = tree[node] ?? 0;
      if (totalOf(candidate) > totalOf(best)) best = candidate;
    }
    const total = (weights[element - 1] ?? 0) + totalOf(best);
    totals[element] = total;
    predecessors[element] = best;
    if (total > totalOf(last)) last = element;
    for (let node = rank + 1; node < length; node += node & -node) {
      if (total > totalOf(tree[node] ?? 0)) tree[node] = element;
    }
  }
  const belongs = new Uint8Array(length);
  for (let element = last; element !== 0; element = predecessors[element] ?? 0) belongs[element - 1] = 1;
  return belongs;
}

/** The rank of each key, from 0. */
function ranksOf(keys: Float64Array): Int32Array {
  const order = sortedIndices(keys);
  const ranks = new Int32Array(keys.length);
  for (let rank = 0; rank < order.length; rank += 1) ranks[order[rank] ?? 0] = rank;
  return ranks;
}

/** The indices of keys, in ascending order of the keys. */
export function sortedIndices(keys: Float64Array): Int32Array {
  const indices = new Int32Array(keys.length).map((_, index) => index);
  return indices.sort((left, right) => (keys[left] ?? 0) - (keys[right] ?? 0));
}
