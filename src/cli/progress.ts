import { formatCount, formatDuration } from '../wording.js';

/** The progress of a run. */
export interface Progress {
  /** The part of all work that is done, 0 to 1; undefined for a run whose end is unknown. */
  readonly share: number | undefined;
  /** The number of units that are done. */
  readonly done: number;
  /** The unit: `B` for bytes, else a noun in the singular: `group`. */
  readonly unit: string;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/**
 * Formats progress in parts: `43 %`, `1.2 GB`, `310 MB/s`, `5 s left`, or for a run whose end is unknown
 * `430,000 groups`, `120,000 groups/s`.
 *
 * @param elapsedMs the time that the run has taken so far, more than 0
 */
export function formatProgress({ share, done, unit }: Progress, elapsedMs: number): readonly string[] {
  const parts = [formatAmount(done, unit), `${formatAmount((done * 1000) / elapsedMs, unit)}/s`];
  if (share === undefined) return parts;
  const leftMs = share > 0 ? (elapsedMs * (1 - share)) / share : Infinity;
  const left = leftMs < Infinity ? [`${formatDuration(Math.ceil(leftMs / 1000))} left`] : [];
  return [`${String(Math.floor(share * 100))} %`, ...parts, ...left];
}

function formatAmount(amount: number, unit: string): string {
  if (unit !== 'B') {
    const shown = amount < 10 && !Number.isInteger(amount) ? amount.toFixed(1) : formatCount(Math.round(amount));
    return `${shown} ${unit}${shown === '1' ? '' : 's'}`;
  }
  const power = amount < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(amount) / 3));
  const scaled = amount / 1000 ** power;
  return `${scaled.toFixed(power > 0 && scaled < 10 ? 1 : 0)} ${BYTE_UNITS[power] ?? ''}`;
}
