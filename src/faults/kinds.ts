/** The kinds of fault. A change of their order changes the bytes of broken logs. */
export const FAULT_KINDS = [
  'torn',
  'missing',
  'duplicate',
  'swapped',
  'altered',
  'late',
  'interleave',
  'foreign',
  'garbage',
  'crlf',
] as const;

/** A way in which a log is broken on purpose. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A number for each kind. */
export type PerKind = Readonly<Record<FaultKind, number>>;

/** The same number for each kind. */
export function forEachKind(number: number): Record<FaultKind, number> {
  return {
    torn: number,
    missing: number,
    duplicate: number,
    swapped: number,
    altered: number,
    late: number,
    interleave: number,
    foreign: number,
    garbage: number,
    crlf: number,
  };
}
