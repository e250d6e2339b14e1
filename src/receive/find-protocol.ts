import { findElasticsearch } from './elasticsearch.js';
import { findLoki } from './loki.js';
import { findOtlp } from './otlp.js';
import { findPlain } from './plain.js';
import type { Protocol, RequestHead } from './protocol.js';
import { findSplunk } from './splunk.js';

/** Finds the protocol of a request that carries events. */
export function findProtocol(head: RequestHead): Protocol {
  return findElasticsearch(head) ?? findLoki(head) ?? findOtlp(head) ?? findSplunk(head) ?? findPlain(head);
}
