import type { Kinds } from '../wording.js';

/**
 * The protocols of `receive`. The first of which the pattern fits a path, which that of a proxy may precede, is that of a request. The
 * other columns are Markdown: the paths, a line, and the option of `compare` that finds the record in it, unless that depends on the client.
 */
export const PROTOCOLS = {
  elasticsearch: {
    meaning: 'Elasticsearch, OpenSearch',
    pattern: /\/_bulk$|\/[^/]+\/_(?:doc|create)(?:\/[^/]+)?$/,
    paths: '`/_bulk`, `/<index>/_bulk`, `/<index>/_doc`',
    line: 'the document, byte for byte as it came',
    comparedBy: '`--field message`, or where the collector puts the line',
  },
  loki: {
    meaning: 'Loki, JSON or Protobuf',
    pattern: /\/loki\/api\/v1\/push$/,
    paths: '`/loki/api/v1/push`',
    line: '`{"timestamp":"<ns>","labels":{…},"line":"…"}`, with `metadata` where the value has some',
    comparedBy: '`--field line`',
  },
  otlp: {
    meaning: 'OTLP/HTTP, JSON or Protobuf',
    pattern: /\/v1\/logs$/,
    paths: '`/v1/logs`',
    line: 'the log record, with the `resource` of its request',
    comparedBy: '`--field body.stringValue`',
  },
  splunk: {
    meaning: 'Splunk HEC',
    pattern: /\/services\/collector(?:\/(?:event|ack|health)(?:\/1\.0)?)?$/,
    paths: '`/services/collector`, `/services/collector/event`',
    line: 'the envelope',
    comparedBy: '`--field event`',
  },
  'splunk-text': {
    meaning: 'Splunk HEC, text',
    pattern: /\/services\/collector\/raw(?:\/1\.0)?$/,
    paths: '`/services/collector/raw`',
    line: '`{"message":"…"}` for each line',
    comparedBy: '`--field message`',
  },
  text: {
    meaning: 'text (`Content-Type: text/…`)',
    pattern: /^/,
    paths: 'any other',
    line: '`{"message":"…"}` for each line',
    comparedBy: '`--field message`',
  },
  json: {
    meaning: 'JSON',
    pattern: /^/,
    paths: 'any other',
    line: 'each object of an array, or of NDJSON',
    comparedBy: '',
  },
} as const satisfies Kinds & Record<string, { pattern: RegExp } & Record<'paths' | 'line' | 'comparedBy', string>>;

export type ProtocolName = keyof typeof PROTOCOLS;
