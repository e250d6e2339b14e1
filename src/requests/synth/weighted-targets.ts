import { DataError } from '../../errors.js';
import type { Chunks } from '../../lines.js';
import { explainJson, readListRows, type ListForm } from '../list/list-rows.js';

/** A request target to draw from, and its weight relative to the other targets. */
export interface TargetShare {
  /** A `<request_target>` (2.4), a byte string. */
  readonly target: string;
  /** A number from 0 on. */
  readonly weight: number;
  /** An HTTP token. Default `GET`. */
  readonly method?: string;
}

/** The twelve targets of section 2.4. */
export const OBSERVED_TARGETS: readonly TargetShare[] = [
  { target: '/mail/', weight: 20 },
  { target: '/poczta/', weight: 30 },
  { target: '/webmail/', weight: 16 },
  { target: '/webmail/index.php', weight: 4 },
  { target: '/poczta/index.php', weight: 5 },
  { target: '/webmail/public_html/index.php', weight: 2 },
  { target: '/poczta/public_html/index.php', weight: 3 },
  { target: '/poczta/?_task=login', weight: 16 },
  { target: '/webmail/?C=S%3BO%3DA', weight: 1 },
  { target: '/webmail/?C=S%3BO%3DD', weight: 1 },
  { target: '/webmail/?C=N%3BO%3DA', weight: 1 },
  { target: '/webmail/?C=N%3BO%3DD', weight: 1 },
];

const MAX_TARGETS = 1_000_000;
const MAX_TARGET_BYTES = 64 << 20;

const WEIGHT = /^\d{1,15}(?:\.\d+)?$/;

/** Reads `request_target,weight` or `request_target,weight,http_method`, or columns named by a header. @throws DataError */
export async function readWeightedTargets(chunks: Chunks, source: string): Promise<readonly TargetShare[]> {
  let [rows, targetBytes] = [0, 0];
  const form: ListForm<TargetShare> = {
    numberColumn: 'weight',
    headless: [
      ['target', 'weight'],
      ['target', 'weight', 'method'],
    ],
    parseNumber: (cell) =>
      WEIGHT.test(cell) ? Number(cell) : { problem: 'is not a weight', remedy: 'give a number from 0 on, such as 3 or 0.5' },
    explainLine: (line) => explainJson(line, ['request_target', 'weight']),
    make: (weight, method, target, line) => {
      rows += 1;
      targetBytes += target.length;
      if (rows <= MAX_TARGETS && targetBytes <= MAX_TARGET_BYTES) return { target, weight, method };
      throw new DataError({ source, line }, 'there are more than a million targets, or 64 MiB of them', 'list fewer');
    },
  };
  const targets: TargetShare[] = [];
  for await (const batch of readListRows(chunks, source, form)) targets.push(...batch);
  if (targets.some(({ weight }) => weight > 0)) return targets;
  throw new DataError({ source }, 'no target has a weight above 0', 'give rows of request_target,weight');
}
