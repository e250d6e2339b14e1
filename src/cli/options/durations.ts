import { refuseOption } from './refuse-option.js';

const MS_PER_UNIT = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a duration such as `500ms`, `90s`, `15m`, `1h` or `7d`, in milliseconds. @throws CallError */
export function parseDuration(flag: string, text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  for (const [name, ms] of Object.entries(MS_PER_UNIT)) {
    if (name === unit && Number(number) > 0 && Number(number) * ms <= Number.MAX_SAFE_INTEGER) return Number(number) * ms;
  }
  throw refuseOption(flag, text, 'is no duration', 'give one such as 500ms, 90s, 15m, 1h or 7d');
}
