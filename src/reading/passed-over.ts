import { DataError, type Phrase, type Place } from '../errors.js';
import { MAX_LOOKED_AT } from '../envelope/envelope-opener.js';
import { envelopeAround, envelopeOf, isWithoutTime } from '../envelope/recognise.js';
import { recordOn } from '../input/log-lines.js';
import { isRecordWithCr } from '../log/line.js';
import { countOf, quoteBytes } from '../wording.js';
import { nameSources, placesOf, type Counted, type LinePlaces } from './line-places.js';

/** Lines and groups that gave no request, and the number of requests. */
export interface PassedOver {
  /** The number of groups whose load failures are all there: one for each request. */
  readonly groups: number;
  /** The number of all lines of the log. */
  readonly lines: number;
  /** Lines that are not records. */
  readonly foreign: Counted;
  /** The number of foreign lines that would be records without the CR at their end. */
  readonly foreignWithCr: number;
  /** The text before a record that all foreign lines begin with, a byte string; empty if their records have no time. */
  readonly foreignPrefix?: string | undefined;
  /** The first foreign line, a byte string. @internal */
  readonly firstForeign?: string | undefined;
  /** Groups that are missing a record that other groups of the log have; their lines are those on which they begin. */
  readonly incomplete: Counted;
}

const SHOWN_LINES = 5;

export class Tally implements Counted {
  count = 0;
  readonly lines: number[] = [];

  add(line: number): void {
    this.count += 1;
    if (this.lines.length < SHOWN_LINES) this.lines.push(line);
  }

  with({ count, lines }: Counted): Counted {
    const all = [...this.lines, ...lines].sort((line, other) => line - other);
    return { count: this.count + count, lines: all.slice(0, SHOWN_LINES) };
  }
}

export const FOREIGN_ACTIONS = ['skip', 'stop', 'emit'] as const;
/** The treatment of a line that is not a record of the log: passed over, an error, or given among the records. */
export type ForeignAction = (typeof FOREIGN_ACTIONS)[number];

export const SKIPPED = 'passed over';

export const DROP_CR = "end lines with LF alone: sed 's/\\r$//' FILE | webmail-diaglog …";

type Foreign = Pick<PassedOver, 'foreign' | 'foreignWithCr' | 'foreignPrefix' | 'firstForeign'>;

/** Describes foreign lines: `9 foreign lines passed over (the first at lines 1, 2, 3, 4 and 5), 8 of them because of a CR at the end`. */
export function describeForeign({ foreign, foreignWithCr }: Foreign, places: LinePlaces): string {
  const what = `${countOf(foreign.count, 'foreign line')} ${SKIPPED} (${placesOf(foreign, places)})`;
  return foreignWithCr > 0 ? `${what}, ${String(foreignWithCr)} of them because of a CR at the end` : what;
}

export function isUnusable({ lines, foreign }: Pick<PassedOver, 'lines' | 'foreign'>): boolean {
  return lines > 0 && foreign.count === lines;
}

export function refuseUnusable(foreign: Foreign, places: LinePlaces): DataError {
  return new DataError(
    { source: nameSources(places) },
    describeForeign(foreign, places),
    findRemedy(foreign, places) ?? 'no line is a record, check the file',
  );
}

export function findRemedy(
  { foreign, foreignWithCr, foreignPrefix: prefix, firstForeign = '' }: Foreign,
  { envelope }: LinePlaces,
): Phrase | undefined {
  if (foreignWithCr > 0) return DROP_CR;
  if (prefix === '')
    return 'the records have no time, take the log with one: docker logs --timestamps CONTAINER | webmail-diaglog …';
  if (prefix !== undefined) {
    const drop = `LC_ALL=C sed 's/^.\\{${String(prefix.length)}\\}//' FILE | webmail-diaglog …`;
    return `each line has ${quoteBytes(prefix)} before the record, take it off: ${drop}`;
  }
  if (envelope === 'none') return (option) => `leave out ${option('envelope')}: envelopes are recognised`;
  if (envelope !== undefined) return undefined;
  const around = envelopeAround(firstForeign);
  if (around === undefined)
    return firstForeign.startsWith('{')
      ? 'the lines are JSON, take the raw line out: jq -r .message FILE | webmail-diaglog …'
      : undefined;
  const others = String(MAX_LOOKED_AT);
  if (foreign.count <= MAX_LOOKED_AT) return undefined;
  return (option) => `give ${option('envelope', around)}, if its records are behind more than ${others} other lines`;
}

const PREFIX_BYTES = 256;

const COMPOSE_PREFIX = /^[\w.-]+ +\| /;

/** Finds the text before a record with which all lines of a log begin. */
export class SharedPrefix {
  /** Undefined if there is none, or no line has come; empty once a record without a time has come. */
  text: string | undefined;
  #isShared = true;

  add(line: string): void {
    if (this.text !== undefined && line.startsWith(this.text)) return;
    if (isWithoutTime(line.replace(COMPOSE_PREFIX, ''))) this.text = '';
    else if (this.#isShared) this.addPrefix(prefixOf(line));
  }

  /** @param prefix the text before the record of the next line; undefined for a line without a record */
  addPrefix(prefix: string | undefined): void {
    this.#isShared &&= prefix !== undefined && (this.text ?? prefix) === prefix;
    this.text = this.#isShared ? prefix : undefined;
  }
}

function prefixOf(line: string): string | undefined {
  for (let at = line.indexOf('['); at !== -1 && at < PREFIX_BYTES; at = line.indexOf('[', at + 1))
    if (recordOn(line.slice(at)) !== undefined) return line.slice(0, at);
  const [name] = COMPOSE_PREFIX.exec(line) ?? [];
  return name !== undefined && envelopeOf(line.slice(name.length)) !== undefined ? name : undefined;
}

/** The error for a log of records, none of whose groups has all its load failures; undefined for any other log. */
export function refuseRowless({ groups, incomplete }: PassedOver, places: LinePlaces): DataError | undefined {
  if (groups > 0 || incomplete.count === 0) return undefined;
  const what = `${countOf(incomplete.count, 'incomplete group')} ${SKIPPED} (${placesOf(incomplete, places, 'begin')})`;
  const remedy: Phrase = (option) => `no request has all its load failures, inspect the log with ${option('as', 'records')}`;
  return new DataError({ source: nameSources(places) }, what, remedy);
}

/** @param text the line, a byte string; empty for a line that is too long to be shown */
export function refuseForeign(place: Place, text: string): DataError {
  if (isRecordWithCr(text)) return new DataError(place, 'the record has a CR at its end', DROP_CR);
  const problem = text === '' ? 'the line is not a record of this log' : `${quoteBytes(text)} is not a record of this log`;
  return new DataError(place, problem, (option) => `take it out, or give ${option('foreign', 'skip')}`);
}
