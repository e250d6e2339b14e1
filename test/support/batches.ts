import type { Batches } from '../../src/log/group.js';

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
