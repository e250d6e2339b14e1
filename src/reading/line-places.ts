import type { EnvelopeChoice } from '../envelope/envelopes.js';
import { formatPlace, type Place } from '../errors.js';

/** The place of a line in the files of a log. */
export interface LinePlace extends Place {
  /** The physical line in its own file, from 1. */
  readonly line: number;
}

/** Finds the places of lines that are counted over all files of a log. */
export interface LinePlaces {
  /** The names of the files, in the order in which they are read. */
  readonly sources: readonly string[];
  /** The envelope that was asked for. @internal */
  readonly envelope?: EnvelopeChoice | undefined;
  /** The place of a line that has been read. */
  readonly placeOf: (line: number) => LinePlace;
}

/** A count of what was passed over, and the first lines of it. */
export interface Counted {
  readonly count: number;
  /** The physical lines of the first five at most, in order. */
  readonly lines: readonly number[];
}

/** Names a line in a message about another one: `line 7`; of another file `line 7 of error.log.1`. */
export function nameLine(line: number, about: number, { placeOf }: LinePlaces): string {
  const place = placeOf(line);
  const name = `line ${String(place.line)}`;
  return place.source === placeOf(about).source ? name : `${name} of ${formatPlace({ source: place.source })}`;
}

/** Names the files of a log, of many the first and the last: `error.log.1, error.log`, `error.log.9 … error.log (10 logs)`. */
export function nameSources(
  { sources }: LinePlaces,
  { nameOf = (source: string) => formatPlace({ source }), cut = '…', maxNamed = 3 } = {},
): string {
  if (sources.length <= maxNamed) return sources.map(nameOf).join(', ');
  return `${nameOf(sources[0] ?? '')} ${cut} ${nameOf(sources.at(-1) ?? '')} (${String(sources.length)} logs)`;
}

/**
 * The lines of a count in words: `at lines 1 and 85`, `the first at lines 1, 2, 3, 4 and 5`; with the verb `begin`, `begins at line 7`; of
 * several files, `at lines 7 and 9 of error.log.1, error.log:85`.
 */
export function placesOf({ count, lines }: Counted, { sources, placeOf }: LinePlaces, verb?: string): string {
  const what = verb === undefined ? '' : `${verb}${count === 1 ? 's' : ''} `;
  const linesOfFiles = new Map<string, number[]>();
  for (const { source, line } of lines.map(placeOf)) linesOfFiles.set(source, [...(linesOfFiles.get(source) ?? []), line]);
  const where = Array.from(linesOfFiles, ([source, ofFile]) => {
    if (sources.length === 1) return nameLines(ofFile);
    const [line = 0, ...others] = ofFile;
    return others.length === 0 ? formatPlace({ source, line }) : `${nameLines(ofFile)} of ${formatPlace({ source })}`;
  });
  return `${count > lines.length ? 'the first ' : ''}${what}at ${where.join(', ')}`;
}

function nameLines(lines: readonly number[]): string {
  return `line${lines.length === 1 ? '' : 's'} ${new Intl.ListFormat('en-GB').format(lines.map(String))}`;
}

/** The files of a log as a field of a JSON object: `source`, or `sources` where there are several. */
export function sourcesOf({ sources }: LinePlaces): {
  readonly source?: string | undefined;
  readonly sources?: readonly string[];
} {
  return sources.length > 1 ? { sources } : { source: sources[0] };
}
