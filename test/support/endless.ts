import type { LogRequest } from '../../src/log/group.js';
import { synthesize, type SynthesizeOptions } from '../../src/requests/synth/synthesize.js';

/** The first requests of traffic without an end. They are not those of as many requests at that rate, which have an end to keep. */
export function firstOfEndless(options: SynthesizeOptions, count: number): readonly LogRequest[] {
  const requests: LogRequest[] = [];
  for (const batch of synthesize({ ...options, count: Infinity })) {
    requests.push(...batch);
    if (requests.length >= count) break;
  }
  return requests.slice(0, count);
}
