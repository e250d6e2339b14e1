/** Some records of one side, one behind the other. */
export interface RecordBlock {
  /** The records as they are compared, each ended by an LF. Good until the next block is asked for. */
  readonly bytes: Buffer;
  /** The place of the bytes in the input, if they can be read there once more. */
  readonly position?: number | undefined;
  /** One for each record; left out where each is a line, the lines follow the one before the block, and none holds an LF. */
  readonly marks?: readonly RecordMark[];
}

/** A record in a block where lines alone do not say all. */
export interface RecordMark {
  /** The place of the LF that ends the record. */
  readonly end: number;
  /** The physical line, counted over all inputs of that side; left out where it follows that of the record before. */
  readonly line?: number;
  /** The text of the line, a byte string, where other bytes are compared. */
  readonly text?: string;
  /** Why the line cannot be a record, in words that are safe for a terminal. Such a line equals no record. */
  readonly fault?: string;
}
