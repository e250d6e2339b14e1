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

/** Numbers by kind; a kind that is missing has 0. */
export type PerKind = Readonly<Partial<Record<FaultKind, number>>>;
