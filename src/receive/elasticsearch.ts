import { LF } from '../log/byte-string.js';
import { JsonBytes } from './json.js';
import type { LineBuffer } from './line-buffer.js';
import { formatJson, type Protocol, type Reply, type RequestHead } from './protocol.js';
import { RefusedError } from './refused-error.js';

/** `/_bulk`, `/<index>/_bulk`, and below the path of a proxy. */
const BULK = '/_bulk';
/** `/<index>/_doc`, with or without an id. */
const DOCUMENT = /\/([^/]+)\/_(?:doc|create)(?:\/([^/]+))?$/;

/** Clients of Elasticsearch refuse a server without this header, after the documents have been stored. */
const PRODUCT = ['X-Elastic-Product', 'Elasticsearch'] as const;

/** Media types that clients ask for and want back. */
const JSON_TYPES =
  /^application\/(?:json|x-ndjson|vnd\.elasticsearch\+(?:json|x-ndjson))(?:; ?(?:compatible-with|charset)=[\w-]+)*$/i;
const DEFAULT_TYPE = 'application/json';

const NAME = 'webmail-diaglog';

/** Clients check the version: agents of Elastic refuse a server that is older than they are. */
const ROOT = {
  name: NAME,
  cluster_name: NAME,
  cluster_uuid: 'd2VibWFpbC1kaWFnbG9nISE',
  version: {
    number: '9.2.0',
    build_flavor: 'default',
    build_type: 'tar',
    build_hash: '0000000000000000000000000000000000000000',
    build_date: '2025-10-21T10:00:00.000000000Z',
    build_snapshot: false,
    lucene_version: '10.3.1',
    minimum_wire_compatibility_version: '8.19.0',
    minimum_index_compatibility_version: '8.0.0',
  },
  tagline: 'You Know, for Search',
} as const;

const HEALTH = {
  cluster_name: NAME,
  status: 'green',
  timed_out: false,
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_primary_shards: 1,
  active_shards: 1,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
  delayed_unassigned_shards: 0,
  number_of_pending_tasks: 0,
  number_of_in_flight_fetch: 0,
  task_max_waiting_in_queue_millis: 0,
  active_shards_percent_as_number: 100,
} as const;

const CAT_HEALTH = `1747562400 10:00:00 ${NAME} green 1 1 1 1 0 0 0 0 0 - 100.0%\n`;
const CAT_HEALTH_JSON = [
  { cluster: NAME, status: 'green', 'node.total': '1', 'node.data': '1', active_shards_percent: '100.0%' },
];

/** The actions of a bulk request that store a document; `update` and `delete` need documents that are stored. */
const ACTIONS = ['index', 'create'] as const;

/** The fewest bytes of an action and its document: `{"index":{}}`, LF, `{}`. */
const MIN_ITEM_BYTES = 15;

const CARRIAGE_RETURN = 0x0d;

/** Items of an answer that are formatted at a time. */
const ITEMS_PER_PART = 2000;

/** Finds the protocol of Elasticsearch and OpenSearch for a path; undefined for other paths. */
export function findElasticsearch(head: RequestHead): Protocol | undefined {
  const refuse = (status: number, message: string): Reply => ({
    status,
    type: jsonTypeOf(head.accept),
    headers: PRODUCT,
    body: formatError(status, message),
  });
  if (head.path.endsWith(BULK)) {
    return { read: (body, lines) => reply(head, 200, formatBulkAnswer(readBulk(body, lines))), refuse };
  }
  const [, index = '', id = '1'] = DOCUMENT.exec(head.path) ?? [];
  if (index === '') return undefined;
  const read = (body: Buffer, lines: LineBuffer): Reply => {
    readDocument(body, lines);
    return reply(head, 201, formatJson({ _index: index, _id: id, _version: 1, result: 'created', _seq_no: 0, _primary_term: 1 }));
  };
  return { read, refuse };
}

/** Answers a GET or HEAD as a healthy cluster; undefined for paths that it does not answer. */
export function answerAsElasticsearch(head: RequestHead): Reply | undefined {
  const { path, query, accept } = head;
  if (path === '/') return reply(head, 200, formatJson(ROOT));
  if (path.startsWith('/_cluster/health')) return reply(head, 200, formatJson(HEALTH));
  if (!path.startsWith('/_cat/') && path !== '/_cat') return undefined;
  const isHealth = path === '/_cat/health';
  if (/(?:^|&)format=json/.test(query) || JSON_TYPES.test(firstOf(accept))) {
    return reply(head, 200, formatJson(isHealth ? CAT_HEALTH_JSON : []));
  }
  return { status: 200, type: 'text/plain; charset=UTF-8', headers: PRODUCT, body: isHealth ? CAT_HEALTH : '' };
}

function reply({ accept }: RequestHead, status: number, body: string | Iterable<string>): Reply {
  return { status, type: jsonTypeOf(accept), headers: PRODUCT, body };
}

function firstOf(accept: string): string {
  return (accept.split(',', 1)[0] ?? '').trim();
}

/** The media type that the client asks for, if it is one of JSON. */
function jsonTypeOf(accept: string): string {
  const wanted = accept.split(',').map((type) => type.trim());
  return wanted.find((type) => JSON_TYPES.test(type)) ?? DEFAULT_TYPE;
}

/**
 * Reads a bulk request: lines of an action, each with a document on the next line; blank lines are skipped.
 *
 * @returns for each item the index of its action in `ACTIONS`
 */
function readBulk(body: Buffer, lines: LineBuffer): Uint8Array {
  const actions = Buffer.allocUnsafe(Math.ceil(body.length / MIN_ITEM_BYTES));
  let line = 0;
  let isDocument = false;
  for (let from = 0; from < body.length;) {
    const lf = body.indexOf(LF, from);
    const end = lf === -1 ? body.length : lf;
    line += 1;
    const lineStart = from;
    from = end + 1;
    const json = new JsonBytes(body, end);
    const start = json.skipBlanks(lineStart);
    if (start === end) continue;
    checkOnlyObject(json, start, end, line);
    if (isDocument) {
      lines.json(body, lineStart, body[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
      lines.endLine();
    } else {
      actions[lines.count] = readAction(json, start, line);
    }
    isDocument = !isDocument;
  }
  if (isDocument) throw new RefusedError(400, `the action on line ${String(line)} has no document`);
  if (lines.count === 0) throw new RefusedError(400, 'request body is required');
  return actions.subarray(0, lines.count);
}

/** @throws RefusedError unless a line is one object */
function checkOnlyObject(json: JsonBytes, start: number, end: number, line: number): void {
  if (!json.isObjectAt(start)) throw new RefusedError(400, `line ${String(line)} is not an object`);
  if (json.skipBlanks(json.endOf(start)) !== end) throw new RefusedError(400, `line ${String(line)} holds more than an object`);
}

/** `{"index":{…}}` or `{"create":{…}}`. @returns its index in `ACTIONS` */
function readAction(json: JsonBytes, start: number, line: number): number {
  const action = json.firstMember(start);
  const index = ACTIONS.findIndex((name) => action !== undefined && json.isNamed(action, name));
  if (action === undefined || json.nextMember(action) !== undefined || index === -1 || !json.isObjectAt(action.start)) {
    throw new RefusedError(400, `line ${String(line)} is no action "index" or "create"; other actions are not supported`);
  }
  return index;
}

function formatBulkAnswer(actions: Uint8Array): string | Iterable<string> {
  const parts = formatItems(actions);
  return actions.length > ITEMS_PER_PART ? parts : [...parts].join('');
}

function* formatItems(actions: Uint8Array): Generator<string> {
  const items = ACTIONS.map((name) => `{"${name}":{"status":201}}`);
  let part = '{"took":0,"errors":false,"items":[';
  for (let from = 0; from < actions.length; from += ITEMS_PER_PART) {
    part += Array.from(actions.subarray(from, from + ITEMS_PER_PART), (action) => items[action]).join(',');
    if (from + ITEMS_PER_PART < actions.length) part += ',';
    yield part;
    part = '';
  }
  yield `${part}]}`;
}

function readDocument(body: Buffer, lines: LineBuffer): void {
  const json = new JsonBytes(body);
  const start = json.skipBlanks(0);
  if (!json.isObjectAt(start)) throw new RefusedError(400, 'the document is not an object');
  const end = json.endOf(start);
  if (json.skipBlanks(end) !== body.length) throw new RefusedError(400, 'the body holds more than a document');
  lines.json(body, start, end);
  lines.endLine();
}

/** Types of errors by status, as Elasticsearch names them. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'parse_exception',
  413: 'content_too_long_exception',
  429: 'circuit_breaking_exception',
  503: 'unavailable_shards_exception',
};

function formatError(status: number, reason: string): string {
  const cause = { type: ERROR_TYPES[status] ?? 'illegal_argument_exception', reason };
  return formatJson({ error: { root_cause: [cause], ...cause }, status });
}
