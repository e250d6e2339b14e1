/** The likely reason that the received input as a whole could not be compared as asked. */
export type FormMismatch =
  /** The lines are objects of JSON, and raw lines were compared. */
  | { readonly cause: 'is-json' }
  /** The lines are not objects of JSON. */
  | { readonly cause: 'not-json' }
  /** The field, or every named field, is absent from all objects or nearly all. */
  | {
      readonly cause: 'no-field';
      readonly objects: number;
      readonly without: number;
      /** The keys of the first object without it, byte strings. */
      readonly keys: readonly string[];
    };

/** From this share on, nearly all received lines or objects cannot be compared: the call is likelier to be wrong than the pipeline. */
const NEARLY_ALL = 0.9;

const OPENING_BRACE = 0x7b;

/** Observes the form of the received input, to tell a wrong option from what a pipeline has done. */
export class ReceivedForm {
  /** True if each line in the first chunk begins with a brace; undefined before that. */
  #beginsWithBraces: boolean | undefined;
  #lines = 0;
  #linesWithoutObject = 0;
  #objects = 0;
  #objectsWithoutField = 0;
  #keys: readonly string[] = [];

  /** Observes bytes of a comparison of raw lines. Only the first chunk is looked at. */
  addBytes(chunk: Uint8Array): void {
    if (this.#beginsWithBraces !== undefined || chunk.length === 0) return;
    // The first byte is tested by itself: a log is not scanned.
    this.#beginsWithBraces = chunk[0] === OPENING_BRACE && !/\n[^{\n]/.test(Buffer.from(chunk).toString('latin1'));
  }

  /** Observes a line of NDJSON. */
  addLine(hasObject: boolean): void {
    this.#lines += 1;
    if (!hasObject) this.#linesWithoutObject += 1;
  }

  /** Observes an object of NDJSON. @param hasField false if the field, or every named field, is absent */
  addObject(value: object, hasField: boolean): void {
    this.#objects += 1;
    if (hasField) return;
    if (this.#objectsWithoutField === 0) this.#keys = Object.keys(value);
    this.#objectsWithoutField += 1;
  }

  /** Finds the likely reason, if nearly nothing of the input can be compared. @param as what is compared @param isDelivered true if any record was delivered */
  findMismatch(as: 'lines' | 'field' | 'fields', isDelivered: boolean): FormMismatch | undefined {
    if (as === 'lines') return this.#beginsWithBraces === true && !isDelivered ? { cause: 'is-json' } : undefined;
    if (isNearlyAll(this.#linesWithoutObject, this.#lines)) return { cause: 'not-json' };
    // With --fields, objects without any of the fields are passed over: a pipeline may deliver others.
    const isWrong = as === 'field' || !isDelivered;
    if (!isWrong || !isNearlyAll(this.#objectsWithoutField, this.#objects)) return undefined;
    return { cause: 'no-field', objects: this.#objects, without: this.#objectsWithoutField, keys: this.#keys };
  }
}

function isNearlyAll(part: number, whole: number): boolean {
  return part > 0 && part >= NEARLY_ALL * whole;
}
