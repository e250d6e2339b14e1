import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { recordOn } from '../input/log-lines.js';
import type { LogRecord } from '../log/line.js';
import { findAlteration, findFieldsAlteration, type FindAlteration } from './alteration.js';
import { digestBytes, type DigestRecord } from './digest.js';
import { createFieldsReader, readGrowingFields, readLineField, readParsedFields } from './fields.js';
import { readObjects } from './json-records.js';
import { digestLossy, isLossyCopy } from './lossy.js';
import type { ReceivedForm } from './mismatch.js';
import { comparisonOf, type ComparisonOptions } from './options.js';
import { createReader, type ReadLine, type RecordReader } from './records.js';

interface Equality {
  readonly digestRecord: DigestRecord;
  /** Tells equal records with equal digests, byte strings; undefined where all are. */
  readonly isSame: ((sent: string, received: string) => boolean) | undefined;
}

/** The form of the records of a comparison: how they are read, which are equal, and which are one altered. */
export interface RecordForm extends Equality {
  readonly findAlteration: FindAlteration;
  readonly sentReader: (isRereadable: boolean, opener?: EnvelopeOpener) => RecordReader;
  readonly receivedReader: (input: number, isRereadable: boolean, opener?: EnvelopeOpener) => RecordReader;
}

/** Finds the form of the records of a comparison. @param isGrowing true if logs are still being written @param observed is shown what comes */
export function formOf(options: ComparisonOptions, isGrowing: boolean, observed: ReceivedForm): RecordForm {
  const { kind, lossy } = options;
  const comparison = comparisonOf(options);
  const equality: Equality = lossy === true ? LOSSY : { digestRecord: digestBytes, isSame: undefined };
  if (comparison.as === 'fields') {
    const { fields } = comparison;
    return {
      // Of a log that grows, a deprecation record may have two instants.
      ...(isGrowing && fields.has('instant') ? withInstants(equality) : equality),
      findAlteration: findFieldsAlteration(Array.from(fields.keys())),
      sentReader: (_, opener) =>
        isGrowing
          ? createReader(0, { read: readGrowingFields({ fields, kind }), passesOverlong: true, opener })
          : createFieldsReader({ fields, kind }, opener),
      receivedReader: (input) => createReader(input, { read: readObjects(readParsedFields(fields), observed) }),
    };
  }
  return {
    ...equality,
    findAlteration,
    sentReader: (isRereadable, opener) =>
      createReader(0, kind === undefined ? { isRereadable, opener } : { read: readKind(kind), passesOverlong: true, opener }),
    receivedReader: (input, isRereadable, opener) => {
      if (comparison.as === 'lines') return createReader(input, { isRereadable, observed, opener });
      return createReader(input, { read: readObjects(readLineField(comparison.path), observed), textOpener: opener });
    },
  };
}

const LOSSY: Equality = {
  digestRecord: digestLossy,
  isSame: (sent, received) => sent === received || isLossyCopy(sent, received),
};

/** One instant or two. Clocks are set back by hours or half hours: the last digit of the minutes stays. */
const INSTANTS = /\d{4}-\d\d-\d\dT\d\d:\d(\d:\d\d)Z(?:\0[^\n]*)?/g;
const SECOND_INSTANT = /\0[^\n]*/;

/** The equality of records of a log that grows, by either of the two instants that a record can mean. */
function withInstants({ digestRecord, isSame }: Equality): Equality {
  return {
    // Of the instants, what both share is digested. The exact part is that of the first one.
    digestRecord: (bytes, start, end, digest) => {
      const text = bytes.toString('latin1', start, end);
      const first = Buffer.from(text.replace(SECOND_INSTANT, ''), 'latin1');
      digestRecord(first, 0, first.length, digest);
      const { exact } = digest;
      const form = Buffer.from(text.replace(INSTANTS, '$1'), 'latin1');
      digestRecord(form, 0, form.length, digest);
      digest.exact = exact;
    },
    isSame: (sent, received) =>
      [SECOND_INSTANT, /[^\n]*\0/].some((other) => {
        const choice = sent.replace(other, '');
        return choice === received || isSame?.(choice, received) === true;
      }),
  };
}

function readKind(kind: LogRecord['kind']): ReadLine {
  return (text, line) => [recordOn(text)?.kind === kind ? { compared: text, line } : undefined];
}
