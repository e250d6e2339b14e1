import type { DeliveryFinding, DeliverySummary } from '../findings/delivery.js';
import { countOf, namesOf, type Kinds } from '../wording.js';

const RECEIVED = 'a received file';

/** The kinds of finding, in the order of their counts, and the file at whose lines each is. */
export const FINDINGS = {
  missing: { meaning: 'a record that was sent did not arrive', at: 'the expected log' },
  duplicated: {
    meaning: 'a record arrived once more than it was sent',
    at: RECEIVED,
    detail: 'Up to a million lines after it was sent; later ones are `foreign`.',
  },
  altered: {
    meaning: 'a record arrived with other bytes, or another value of a field',
    at: RECEIVED,
    detail: 'It stands where a missing record belongs, and [resembles it](#altered-records).',
  },
  reordered: {
    meaning: 'a record arrived in another order',
    at: RECEIVED,
    detail: 'One of the fewest records that must move to restore the order of the expected log.',
  },
  foreign: {
    meaning: 'anything else that arrived',
    at: RECEIVED,
    detail:
      'The report gives the reason for a line that cannot be a record: a torn line of JSON, an object without the field, [a line over a limit](#limits).',
  },
} as const satisfies Readonly<Record<string, Kinds[string] & { readonly at: string }>>;

/** The kind of a finding. */
export type FindingKind = keyof typeof FINDINGS;

export const FINDING_KINDS = namesOf(FINDINGS);

/** A difference between the expected log and what was received. */
export type ComparisonFinding = DeliveryFinding<FindingKind>;

/** The likely reason that the received input as a whole could not be compared as asked. */
export type FormMismatch =
  /** The lines are objects of JSON, and raw lines were compared. */
  | { readonly cause: 'is-json' }
  /** The lines are not objects of JSON. */
  | { readonly cause: 'not-json' }
  /** The lines are not objects of JSON, and the first of the expected log is one. */
  | { readonly cause: 'exchanged' }
  /** The field, or every named field, is absent from all objects or nearly all. */
  | {
      readonly cause: 'no-field';
      readonly objects: number;
      readonly without: number;
      /** The keys of the first object without it, byte strings. */
      readonly keys: readonly string[];
    }
  /** The records of one side have no timestamps, as the drivers `stdout` and `syslog` write them; those of the other have. */
  | { readonly cause: 'no-stamps'; readonly side: 'sent' | 'received' }
  /** Each received line has this text before its record, a byte string. */
  | { readonly cause: 'prefix'; readonly prefix: string };

/** The numbers of a comparison, in records. */
export interface ComparisonSummary extends DeliverySummary<FindingKind> {
  /** Lines of the expected log that were not compared. */
  readonly expectedPassedOver: number;
  /** Received objects that were not compared. */
  readonly receivedPassedOver: number;
  /** The number of findings of kinds that are not allowed, those beyond `max` included. */
  readonly findings: number;
  /** The inputs whose envelopes were opened, and the envelopes: what is inside was compared. */
  readonly opened: readonly { readonly source: string; readonly envelope: string }[];
  /** The likely reason that the received input as a whole could not be compared; left out where there is none. */
  readonly mismatch?: FormMismatch;
}

/** The parts of a text summary about what was not compared. */
export function describePassedOver({ expectedPassedOver, receivedPassedOver }: ComparisonSummary): readonly string[] {
  return [
    ...(expectedPassedOver > 0 ? [`${countOf(expectedPassedOver, 'expected line')} not compared`] : []),
    ...(receivedPassedOver > 0 ? [`${countOf(receivedPassedOver, 'received object')} not compared`] : []),
  ];
}
