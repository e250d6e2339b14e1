import { JsonBytes } from '../json-bytes.js';
import { LF } from '../log/byte-string.js';
import { ITEM_STATUS } from './failures.js';
import type { LineBuffer } from './line-buffer.js';
import type { IsRefused, Protocol, Reply, RequestHead } from './protocol.js';
import { refuseBinary, RefusedError } from './refused-error.js';

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

const LICENSE = { uid: 'webmail-diaglog', type: 'basic', mode: 'basic', status: 'active' } as const;

/** Beats and Logstash ask for these before they send: without an active license they take the backend for another build. */
const LICENSES: ReadonlyMap<string, object> = new Map([
  ['/_license', { license: { ...LICENSE, issue_date: '2025-10-21T10:00:00.000Z', issue_date_in_millis: 1_761_040_800_000 } }],
  [
    '/_xpack',
    {
      license: LICENSE,
      features: { ilm: { available: true, enabled: true }, monitoring: { available: true, enabled: true } },
      tagline: 'You know, for X',
    },
  ],
]);

/** The actions of a bulk request that store a document. */
const ACTIONS = ['index', 'create'] as const;
/** The actions that change a document which is stored. */
const OTHER_ACTIONS = ['update', 'delete'] as const;

/** Answers to a document that is stored, and to one that is refused by itself because a queue is full, by the action. */
const STORED = ACTIONS.map((action) => `{"${action}":{"status":201}}`);
const ITEM_ERROR = '{"type":"es_rejected_execution_exception","reason":"refused on purpose; send again later"}';
const ITEM_REFUSED = ACTIONS.map((action) => `{"${action}":{"status":${String(ITEM_STATUS)},"error":${ITEM_ERROR}}}`);

/** The text of Elasticsearch, with the usual cause: `-d` of curl drops line feeds. */
const NO_LF = 'The bulk request must be terminated by a newline [\\n]; with curl, send it by --data-binary';

const CARRIAGE_RETURN = 0x0d;

/** Items of an answer that are formatted at a time. */
const ITEMS_PER_PART = 2000;

/** The protocol of Elasticsearch and OpenSearch. */
export const ELASTICSEARCH: Protocol = {
  read: (body, lines, head) => {
    refuseBinary(head.type);
    if (head.path.endsWith(BULK)) {
      const actions = readBulk(body, lines);
      return { answer: (isRefused) => reply(head, 200, formatBulkAnswer(actions, isRefused)), namesEach: true };
    }
    const [, index, id = '1'] = DOCUMENT.exec(head.path) ?? [];
    lines.add([new JsonBytes(body).onlyObject()]);
    const result = { _index: index, _id: id, _version: 1, result: 'created', _seq_no: 0, _primary_term: 1 };
    return { answer: () => reply(head, 201, JSON.stringify(result)) };
  },
  answer: (head) => (head.method === 'POST' || head.method === 'PUT' ? acknowledge(head) : answerQuestion(head)),
  refuse: (status, message, head) => reply(head, status, formatError(status, message)),
};

/** Takes templates, policies and pipelines of clients, which have nothing to do here. */
function acknowledge(head: RequestHead): Reply | undefined {
  return isManagement(head) ? reply(head, 200, '{"acknowledged":true}') : undefined;
}

function isManagement({ path }: RequestHead): boolean {
  return path.startsWith('/_') && !path.endsWith(BULK);
}

/** Answers a GET or HEAD as a healthy cluster that has nothing but documents. */
function answerQuestion(head: RequestHead): Reply | undefined {
  const { method, path, query, accept } = head;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const license = LICENSES.get(path);
  if (license !== undefined) return reply(head, 200, JSON.stringify(license));
  if (path === '/') return reply(head, 200, JSON.stringify(ROOT));
  if (path.startsWith('/_cluster/health')) return reply(head, 200, JSON.stringify(HEALTH));
  if (!path.startsWith('/_cat/') && path !== '/_cat') {
    return isManagement(head) ? reply(head, 404, formatError(404, 'there is nothing at this path')) : undefined;
  }
  const isHealth = path === '/_cat/health';
  if (/(?:^|&)format=json/.test(query) || JSON_TYPES.test(firstOf(accept))) {
    return reply(head, 200, JSON.stringify(isHealth ? CAT_HEALTH_JSON : []));
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
 * @returns the index of the action of each item
 */
function readBulk(body: Buffer, lines: LineBuffer): Buffer {
  const json = new JsonBytes(body);
  if (body.length > 0 && body.at(-1) !== LF) throw new RefusedError(400, NO_LF);
  // A byte an item: answers wait until their clients take them, and a body may have four million items.
  let actions = Buffer.alloc(1024);
  let line = 0;
  let isDocument = false;
  for (let next = 0; next < body.length;) {
    const from = next;
    const end = body.indexOf(LF, from);
    next = end + 1;
    line += 1;
    if (json.skipBlanks(from) >= end) continue;
    const { start } = json.onlyObject(from, end, line);
    if (isDocument) {
      lines.add([{ start: from, end: body[end - 1] === CARRIAGE_RETURN ? end - 1 : end }]);
    } else {
      if (lines.count === actions.length) actions = Buffer.concat([actions], 2 * actions.length);
      actions[lines.count] = readAction(json, start, line);
    }
    isDocument = !isDocument;
  }
  if (isDocument) throw new RefusedError(400, `the action on line ${String(line)} has no document`);
  if (lines.count === 0) throw new RefusedError(400, 'request body is required');
  return actions.subarray(0, lines.count);
}

/** `{"index":{…}}` or `{"create":{…}}`. @returns its index among the actions */
function readAction(json: JsonBytes, start: number, line: number): number {
  const [member, second] = json.members(start);
  const isNamed = (name: string): boolean => member !== undefined && json.isNamed(member, name);
  const action = ACTIONS.findIndex(isNamed);
  if (member !== undefined && action !== -1 && second === undefined && json.isAt(member.start, '{')) return action;
  const other = OTHER_ACTIONS.find(isNamed);
  const problem =
    other === undefined ? 'is not an action "index" or "create"' : `has the action "${other}", which is not supported`;
  throw new RefusedError(400, `line ${String(line)} ${problem}; nothing of the request is stored`);
}

function formatBulkAnswer(actions: Buffer, isRefused: IsRefused): string | Iterable<string> {
  const parts = formatItems(actions, isRefused);
  return actions.length > ITEMS_PER_PART ? parts : [...parts].join('');
}

function* formatItems(actions: Buffer, isRefused: IsRefused): Generator<string> {
  const hasErrors = actions.some((_action, item) => isRefused(item));
  yield `{"took":0,"errors":${String(hasErrors)},"items":[`;
  for (let from = 0; from < actions.length; from += ITEMS_PER_PART) {
    const some = Array.from(actions.subarray(from, from + ITEMS_PER_PART));
    const items = some.map((action, item) => (isRefused(from + item) ? ITEM_REFUSED : STORED)[action] ?? '');
    yield `${from > 0 ? ',' : ''}${items.join(',')}`;
  }
  yield ']}';
}

/** Types of errors by status, as Elasticsearch names them. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'parse_exception',
  404: 'resource_not_found_exception',
  413: 'content_too_long_exception',
  429: 'circuit_breaking_exception',
  500: 'internal_server_error',
  503: 'unavailable_shards_exception',
};

function formatError(status: number, reason: string): string {
  const cause = { type: ERROR_TYPES[status] ?? 'illegal_argument_exception', reason };
  return JSON.stringify({ error: { root_cause: [cause], ...cause }, status });
}
