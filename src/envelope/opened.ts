/** A line of an envelope. Texts are byte strings. */
export interface Opened {
  /** The record, or the piece of one, without an LF. */
  readonly inside: string;
  /** The envelope, with the form of its stamps: files of one form can be compared line by line. */
  readonly form: string;
  /** The output of the container that the record went to; empty where there is none. Pieces are joined by it. */
  readonly stream: string;
  /** True for a piece that does not end its record. */
  readonly hasMore: boolean;
  /** The time, as the envelope shows it. */
  readonly time: string;
}
