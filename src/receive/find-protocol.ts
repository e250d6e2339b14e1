import { ELASTICSEARCH } from './elasticsearch.js';
import { LOKI } from './loki.js';
import { OTLP } from './otlp.js';
import { PLAIN } from './plain.js';
import type { Protocol } from './protocol.js';
import { SPLUNK } from './splunk.js';

/** Finds the protocol of requests that carry events to a path. */
export function findProtocol(path: string): Protocol {
  return [ELASTICSEARCH, LOKI, OTLP, SPLUNK].find(({ paths }) => paths.test(path)) ?? PLAIN;
}
