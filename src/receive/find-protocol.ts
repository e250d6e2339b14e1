import { ELASTICSEARCH } from './elasticsearch.js';
import { LOKI } from './loki.js';
import { OTLP } from './otlp.js';
import { PLAIN } from './plain.js';
import type { Protocol, Reply, RequestHead } from './protocol.js';
import { SPLUNK } from './splunk.js';

const PROTOCOLS: readonly Protocol[] = [ELASTICSEARCH, LOKI, OTLP, SPLUNK];

/** Finds the protocol of requests that carry events to a path. */
export function findProtocol(path: string): Protocol {
  return PROTOCOLS.find(({ paths }) => paths.test(path)) ?? PLAIN;
}

/** Answers a GET or HEAD as a healthy backend; undefined for paths that no backend answers. */
export function answerHealth(head: RequestHead): Reply | undefined {
  return PROTOCOLS.map((protocol) => protocol.answerHealth?.(head)).find((reply) => reply !== undefined);
}
