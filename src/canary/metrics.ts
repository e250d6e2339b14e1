import { createServer } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { listen } from '../http/listen.js';
import { CANARY_KINDS, type CanarySnapshot } from './findings.js';

const PREFIX = 'webmail_diaglog_canary_';

/** From the time between two looks at a file to the longest `--late` that is usual, in seconds. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const MS_PER_SECOND = 1000;

export class CanaryMetrics {
  readonly #registry = new Registry();
  readonly #records = new Counter({
    ...this.#named('records_total', 'Records by state: what was written, what became of it, and what else was received.'),
    labelNames: ['state'],
  });
  readonly #outstanding = new Gauge(
    this.#named('outstanding_records', 'Records that were written, have not arrived, and are not overdue.'),
  );
  readonly #oldest = new Gauge(
    this.#named('oldest_outstanding_seconds', 'Age of the oldest outstanding record; 0 if there is none.'),
  );
  readonly #lost = new Gauge(this.#named('lost_records', 'Records that are missing and have not arrived since.'));
  readonly #reconnects = new Counter(
    this.#named('reconnects_total', 'How often the connection to the log was made again, where the log is a socket.'),
  );
  readonly #latency = new Histogram({
    ...this.#named('latency_seconds', 'Time from the writing of a record to its arrival.'),
    buckets: LATENCY_BUCKETS,
  });

  #named(name: string, help: string) {
    return { name: `${PREFIX}${name}`, help, registers: [this.#registry] };
  }

  readonly addLatency = (ms: number): void => {
    this.#latency.observe(ms / MS_PER_SECOND);
  };

  async format(snapshot: CanarySnapshot): Promise<string> {
    this.#records.reset();
    for (const [state, count] of statesOf(snapshot)) this.#records.inc({ state }, count);
    this.#outstanding.set(snapshot.outstanding);
    this.#oldest.set(snapshot.oldestMs / MS_PER_SECOND);
    this.#lost.set(snapshot.counts.missing);
    this.#reconnects.reset();
    this.#reconnects.inc(snapshot.reconnects);
    return this.#registry.metrics();
  }

  /** Answers `GET /metrics`. @param port 0 picks a free one @throws CallError if the server cannot listen */
  async serve(
    snapshot: () => CanarySnapshot,
    { host, port }: { readonly host: string; readonly port: number },
  ): Promise<{ readonly url: string; readonly close: () => void }> {
    const server = createServer((request, response) => {
      if (request.url?.split('?', 1)[0] !== '/metrics') response.writeHead(404).end('Not found: the metrics are at /metrics.\n');
      else if (request.method !== 'GET' && request.method !== 'HEAD') response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      else
        void this.format(snapshot()).then((text) => {
          response.writeHead(200, { 'Content-Type': this.#registry.contentType }).end(text);
        });
    });
    const url = `http://${await listen(server, { host, port, option: 'metrics' })}/metrics`;
    const close = (): void => {
      server.close();
      server.closeAllConnections();
    };
    return { url, close };
  }
}

/** Counts that never fall. A record that came late was missing before. */
function statesOf({ sent, delivered, counts, others }: CanarySnapshot): readonly (readonly [state: string, count: number])[] {
  const found = CANARY_KINDS.map((kind) => [kind, counts[kind] + (kind === 'missing' ? counts.late : 0)] as const);
  return [['sent', sent], ['delivered', delivered], ...found, ['others', others]];
}
