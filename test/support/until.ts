import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const INTERVAL_MS = 5;

/** Waits until something holds that another process brings about. Where it never does, the test fails for want of time. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(INTERVAL_MS);
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
