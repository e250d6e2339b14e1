import { DataError } from '../../errors.js';
import type { Chunks } from '../../lines.js';
import { quoteBytes } from '../../wording.js';
import { findCountFault, parseHeader, type ColumnNames, type Columns } from '../list/header.js';
import { findJsonFault, parseLines } from '../list/csv-rows.js';
import { OVERLONG, readLines } from '../list/line-blocks.js';
import { findMethodFault, findTargetFault, type Fault } from '../request.js';

/** A request target of synthesized traffic, and its share in proportion to the other weights. */
export interface WeightedTarget {
  readonly method: string;
  /** A byte string. */
  readonly target: string;
  /** A number of at least 0. */
  readonly weight: number;
}

function get(target: string, weight: number): WeightedTarget {
  return { method: 'GET', target, weight };
}

/** The twelve targets of section 2.4, each order of the directory listing counted. */
export const OBSERVED_TARGETS: readonly WeightedTarget[] = [
  get('/mail/', 20),
  get('/poczta/', 30),
  get('/webmail/', 16),
  get('/webmail/index.php', 4),
  get('/poczta/index.php', 5),
  get('/webmail/public_html/index.php', 2),
  get('/poczta/public_html/index.php', 3),
  get('/poczta/?_task=login', 16),
  get('/webmail/?C=S%3BO%3DA', 1),
  get('/webmail/?C=S%3BO%3DD', 1),
  get('/webmail/?C=N%3BO%3DA', 1),
  get('/webmail/?C=N%3BO%3DD', 1),
];

/** Bounds the memory of the targets; a larger list is probably the wrong file. */
const MAX_TARGETS = 1_000_000;
const MAX_TARGET_BYTES = 64 << 20;

type TargetColumn = 'target' | 'weight' | 'method';

const COLUMNS: readonly ColumnNames<TargetColumn>[] = [
  { column: 'target', names: ['request_target', 'target'], isRequired: true },
  { column: 'weight', names: ['weight'], isRequired: true },
  { column: 'method', names: ['http_method', 'method'], isRequired: false },
];

/** The columns of lists without a header, by the number of cells. */
const HEADLESS = new Map<number, Columns<TargetColumn>>([
  [2, { count: 2, at: { target: 0, weight: 1, method: -1 } }],
  [3, { count: 3, at: { target: 0, weight: 1, method: 2 } }],
]);
const HEADLESS_FORMS = 'request_target,weight or request_target,weight,http_method';

const WEIGHT = /^\d{1,15}(?:\.\d+)?$/;

/**
 * Reads a list of weighted targets in CSV: `request_target,weight` or `request_target,weight,http_method`, or columns named by a
 * header (a first row with a cell named `weight`).
 *
 * @param source the name of the list in messages
 * @throws DataError on a bad row, on more than a million targets or 64 MiB of them, and if no target has a weight above 0
 */
export async function readWeightedTargets(chunks: Chunks, source: string): Promise<readonly WeightedTarget[]> {
  const targets: WeightedTarget[] = [];
  let targetBytes = 0;
  let columns: Columns<TargetColumn> | undefined;
  let isFirstRow = true;
  for await (const { line, text, overlong } of readLines(chunks)) {
    if (overlong) throw new DataError({ source, line }, OVERLONG.problem, OVERLONG.remedy);
    for (const row of await parseLines(line === 1 ? text.replace(/^\xef\xbb\xbf/, '') : text, line)) {
      const refuse = ({ problem, remedy }: Fault): DataError => new DataError({ source, line: row.line }, problem, remedy);
      if (row.fault !== undefined) throw refuse(findJsonFault(row.text, ['request_target', 'weight']) ?? row.fault);
      const { cells } = row;
      const isHeader = isFirstRow && cells.some((cell) => cell.toLowerCase() === 'weight');
      isFirstRow = false;
      if (isHeader) {
        const named = parseHeader(cells, COLUMNS, { target: -1, weight: -1, method: -1 });
        if ('problem' in named) throw refuse(named);
        columns = named;
        continue;
      }
      columns ??= HEADLESS.get(cells.length);
      const target = readRow(cells, columns);
      if ('problem' in target) throw refuse(target);
      targets.push(target);
      targetBytes += target.target.length;
      if (targets.length > MAX_TARGETS) throw refuse({ problem: 'there are more than a million targets', remedy: 'list fewer' });
      if (targetBytes > MAX_TARGET_BYTES) {
        throw refuse({ problem: 'the targets up to here are larger than 64 MiB', remedy: 'list fewer, or shorter ones' });
      }
    }
  }
  if (!targets.some(({ weight }) => weight > 0)) {
    throw new DataError({ source }, 'no target has a weight above 0', 'give rows of request_target,weight');
  }
  return targets;
}

function readRow(cells: readonly string[], columns: Columns<TargetColumn> | undefined): WeightedTarget | Fault {
  if (columns?.count !== cells.length) return findCountFault(cells, columns?.count, HEADLESS_FORMS);
  const { at } = columns;
  const weight = cells[at.weight] ?? '';
  if (!WEIGHT.test(weight)) {
    const remedy = 'give a number from 0 on, such as 3 or 0.5';
    return { problem: `weight ${quoteBytes(weight)} (column ${String(at.weight + 1)}) is no weight`, remedy };
  }
  const target = cells[at.target] ?? '';
  const targetFault = findTargetFault(target);
  if (targetFault !== undefined) {
    const place = `request_target ${quoteBytes(target)} (column ${String(at.target + 1)})`;
    return { ...targetFault, problem: `${place} ${targetFault.problem}` };
  }
  const named = cells[at.method] ?? '';
  const method = named === '' ? 'GET' : named;
  const fault = findMethodFault(method);
  if (fault !== undefined)
    return { ...fault, problem: `http_method ${quoteBytes(method)} (column ${String(at.method + 1)}) ${fault.problem}` };
  return { method, target, weight: Number(weight) };
}
