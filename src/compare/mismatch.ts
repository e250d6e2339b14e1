import { openDocker } from '../envelope/docker.js';
import { isStampless } from '../envelope/recognise.js';
import { parseRecord } from '../log/line.js';
import { SharedPrefix } from '../reading/passed-over.js';
import type { FormMismatch } from './findings.js';

/** From this share of received lines or objects that cannot be compared, the call is likelier to be wrong than the pipeline. */
const NEARLY_ALL = 0.9;

/** Observes the form of the received input, to tell a wrong option from what a pipeline has done. */
export class ReceivedForm {
  /** True if each line in the first chunk begins with a brace; undefined before that. */
  #beginsWithBraces: boolean | undefined;
  #lines = 0;
  #linesWithoutObject = 0;
  #objects = 0;
  #objectsWithoutField = 0;
  #keys: readonly string[] = [];

  /** Observes bytes of a comparison of raw lines: the first chunk alone. */
  addBytes(chunk: Uint8Array): void {
    if (this.#beginsWithBraces !== undefined || chunk.length === 0) return;
    this.#beginsWithBraces = isNdjson(Buffer.from(chunk).toString('latin1'));
  }

  addLine(hasObject: boolean): void {
    this.#lines += 1;
    if (!hasObject) this.#linesWithoutObject += 1;
  }

  addObject(value: object, hasField: boolean): void {
    this.#objects += 1;
    if (hasField) return;
    if (this.#objectsWithoutField === 0) this.#keys = Object.keys(value);
    this.#objectsWithoutField += 1;
  }

  /** Finds the likely reason, if nearly nothing of the input can be compared. @param isDelivered true if any record was delivered */
  findMismatch(as: 'lines' | 'field' | 'fields', isDelivered: boolean): FormMismatch | undefined {
    if (as === 'lines') return this.#beginsWithBraces === true && !isDelivered ? { cause: 'is-json' } : undefined;
    if (isNearlyAll(this.#linesWithoutObject, this.#lines)) return { cause: 'not-json' };
    // With --fields, objects without any of the fields are passed over: a pipeline may deliver others.
    const isWrong = as === 'field' || !isDelivered;
    if (!isWrong || !isNearlyAll(this.#objectsWithoutField, this.#objects)) return undefined;
    return { cause: 'no-field', objects: this.#objects, without: this.#objectsWithoutField, keys: this.#keys };
  }
}

/** True if each line begins with a brace. Lines of Docker's log do too, and are raw lines in an envelope. */
function isNdjson(text: string): boolean {
  return !/^[^{]|\n[^{\n]/.test(text) && openDocker(text.split('\n', 1).join()) === undefined;
}

function isNearlyAll(part: number, whole: number): boolean {
  return part > 0 && part >= NEARLY_ALL * whole;
}

/** Finds the likely reason that no record was delivered, by the first records of both sides: byte strings without LF. */
export function findUnlikeness(sent: readonly string[], received: readonly string[]): FormMismatch | undefined {
  if (sent.length === 0 || received.length === 0) return undefined;
  const isStamped = (text: string): boolean => parseRecord(text) !== undefined;
  if (sent.some(isStampless) && received.some(isStamped)) return { cause: 'no-stamps', side: 'sent' };
  if (received.some(isStampless) && sent.some(isStamped)) return { cause: 'no-stamps', side: 'received' };
  const shared = new SharedPrefix();
  for (const text of received) shared.add(text);
  return shared.text === undefined || shared.text === '' ? undefined : { cause: 'prefix', prefix: shared.text };
}
