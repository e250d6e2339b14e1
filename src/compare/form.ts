import type { EnvelopeOpener } from '../envelope/envelope-opener.js';
import { recordOn } from '../input/log-lines.js';
import type { LogRecord } from '../log/line.js';
import { findAlteration, findFieldsAlteration, type FindAlteration } from './alteration.js';
import { digestBytes, digestLossy, isLossyCopy, withInstants, type Equality } from './equality.js';
import { createFieldsReader, readGrowingFields, readLineField, readParsedFields } from './fields.js';
import { readObjects } from './json-records.js';
import type { ReceivedForm } from './mismatch.js';
import { comparisonOf, type ComparisonOptions } from './options.js';
import { createReader, type ReadLine, type RecordReader } from './records.js';

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
  const equality: Equality =
    lossy === true ? { digestRecord: digestLossy, isSame: isLossyCopy } : { digestRecord: digestBytes, isSame: undefined };
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

function readKind(kind: LogRecord['kind']): ReadLine {
  return (text, line) => [recordOn(text)?.kind === kind ? { compared: text, line } : undefined];
}
