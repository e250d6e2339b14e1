import { namesOf } from '../wording.js';
import { ELASTICSEARCH } from './elasticsearch.js';
import { LOKI } from './loki.js';
import { OTLP } from './otlp.js';
import { PLAIN } from './plain.js';
import type { Protocol, Reply, RequestHead } from './protocol.js';
import { PROTOCOLS, type ProtocolName } from './protocols.js';
import { createSplunk } from './splunk.js';

/** The backends that a service stands for. */
export class Backends {
  /** The implementations. Text and JSON on other paths are told apart by the body. */
  readonly #protocols: Readonly<Record<ProtocolName, Protocol>>;

  constructor() {
    const splunk = createSplunk();
    this.#protocols = {
      elasticsearch: ELASTICSEARCH,
      loki: LOKI,
      otlp: OTLP,
      splunk,
      'splunk-text': splunk,
      text: PLAIN,
      json: PLAIN,
    };
  }

  /** The protocol of requests to a path. */
  protocolOf(path: string): Protocol {
    const name = namesOf(PROTOCOLS).find((protocol) => PROTOCOLS[protocol].pattern.test(path)) ?? 'json';
    return this.#protocols[name];
  }

  /**
   * Answers what clients ask beside events, as a healthy backend; undefined for requests that no backend answers.
   *
   * @throws RefusedError, BrokenJsonError for a question that is broken
   */
  answer(head: RequestHead, body: Buffer): Reply | undefined {
    for (const protocol of Object.values(this.#protocols)) {
      const reply = protocol.answer?.(head, body);
      if (reply !== undefined) return reply;
    }
    return undefined;
  }
}
