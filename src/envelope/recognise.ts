import { parseRecord, type LogRecord } from '../log/line.js';
import type { Opened } from './docker.js';
import { LOG_NAME, parseRfc3339, stampRecord, type EnvelopeMoment } from './envelope-time.js';
import { FORMS, type EnvelopeForm, type EnvelopeName } from './envelopes.js';

const ANY_MOMENT: EnvelopeMoment = { second: 0, offset: 0 };

/** The envelope in which a line holds a record of this log, or its first piece; `none` for a record as it is. */
export function recognise(line: string): EnvelopeForm | 'none' | undefined {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
  return parseRecord(bare) === undefined ? FORMS.find(({ open }) => holdsRecord(open(bare))) : 'none';
}

function holdsRecord(opened: Opened | undefined): boolean {
  if (opened === undefined) return false;
  const { inside, hasMore } = opened;
  const text = stampRecord(inside, ANY_MOMENT)?.text ?? inside;
  return hasMore ? text.startsWith('[') : parseRecord(text) !== undefined;
}

export function envelopeOf(line: string): EnvelopeForm | undefined {
  const recognised = recognise(line);
  return recognised === 'none' ? undefined : recognised;
}

export function envelopeAround(line: string): EnvelopeName | undefined {
  return FORMS.find(({ open }) => open(line) !== undefined)?.name;
}

/** The record inside a line of an envelope; its own stamp may be missing where the envelope shows a date. Of pieces, the first is ended. */
export function recordInside(line: string): LogRecord | undefined {
  for (const { open } of FORMS) {
    const { inside = '', hasMore, time = '' } = open(line) ?? {};
    const moment = parseRfc3339(time);
    const text = (moment && stampRecord(inside, moment)?.text) ?? inside;
    const record = parseRecord(hasMore === true ? `${text})` : text);
    if (record !== undefined) return record;
  }
  return undefined;
}

export function isStampless(text: string): boolean {
  const stamped = stampRecord(text, ANY_MOMENT);
  return stamped !== undefined && parseRecord(stamped.text) !== undefined;
}

/** True for a record of the driver `stdout` that has no envelope, and so no time. */
export function isWithoutTime(line: string): boolean {
  return line.startsWith(LOG_NAME) && isStampless(line);
}
