import { HANDLER_NOTICE, LOAD_FAILURE } from '../log/fields.js';
import { parseRecord } from '../log/line.js';
import { MAX_RECORD_BYTES } from '../log/record.js';
import { EnvelopeMoment, EnvelopeTime, LOG_NAME, stampRecord } from './envelope-time.js';
import { FORMS, type EnvelopeForm, type EnvelopeName } from './envelopes.js';

/** The part of a record in which its message begins. */
const BEGINNING_BYTES = 8192;

export class Recogniser {
  readonly #time = new EnvelopeTime();
  /** The pieces of a record that has not ended, by envelope and stream. */
  readonly #pieces = new Map<string, string>();

  /**
   * The envelope in which the next line holds a record of this log, or a piece with the beginning of one; `none` for a record as
   * it is.
   */
  take(line: string): EnvelopeForm | 'none' | undefined {
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    return parseRecord(bare) === undefined ? FORMS.find((form) => this.#holdsRecord(form, bare)) : 'none';
  }

  #holdsRecord({ open }: EnvelopeForm, line: string): boolean {
    const opened = open(line);
    const moment = opened && this.#time.momentOf(opened.time);
    if (opened === undefined || moment === undefined) return false;
    const { form, stream, hasMore } = opened;
    const key = `${form} ${stream}`;
    const inside = (this.#pieces.get(key) ?? '') + opened.inside;
    if (hasMore) this.#pieces.set(key, inside.slice(0, BEGINNING_BYTES));
    else this.#pieces.delete(key);
    const text = stampRecord(inside, moment)?.text ?? inside;
    const beginning = text.slice(0, BEGINNING_BYTES);
    return (
      parseRecord(text) !== undefined || (hasMore && (beginning.includes(LOAD_FAILURE) || beginning.includes(HANDLER_NOTICE)))
    );
  }
}

/** The envelope in which a line holds a record, or the first piece of one. */
export function envelopeOf(line: string): EnvelopeForm | undefined {
  const recognised = new Recogniser().take(line);
  return recognised === 'none' ? undefined : recognised;
}

/** The name of the envelope that a line is in, whatever it holds. */
export function envelopeAround(line: string): EnvelopeName | undefined {
  return FORMS.find(({ open }) => open(line) !== undefined)?.names[0];
}

/** Finds records inside envelopes that show a whole date, from the end of a log on. */
export class RecordsFromEnd {
  readonly #time = new EnvelopeTime();
  /** The ends of records whose first pieces have not come, by envelope and stream. */
  readonly #ends = new Map<string, string>();

  /** The record that the line before holds, or the first piece of. */
  take(line: string): string | undefined {
    for (const { open } of FORMS) {
      const opened = open(line);
      if (opened === undefined) continue;
      const { form, stream, hasMore, time } = opened;
      const key = `${form} ${stream}`;
      const inside = hasMore ? opened.inside + (this.#ends.get(key) ?? '') : opened.inside;
      this.#ends.set(key, inside.length <= MAX_RECORD_BYTES ? inside : '');
      const moment = time[4] === '-' ? this.#time.momentOf(time) : undefined;
      const text = (moment && stampRecord(inside, moment)?.text) ?? inside;
      if (parseRecord(text) !== undefined) return text;
    }
    return undefined;
  }
}

/** True for a record of the driver `stdout` that has no envelope, and so no time. */
export function isWithoutTime(line: string): boolean {
  return line.startsWith(LOG_NAME) && parseRecord(stampRecord(line, new EnvelopeMoment(0, 0))?.text ?? '') !== undefined;
}
