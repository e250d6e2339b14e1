import { JsonBytes } from '../log/json-bytes.js';
import { LF } from '../log/byte-string.js';
import { ITEM_STATUS } from './failures.js';
import type { LineBuffer } from './lines.js';
import { RefusedError } from './bodies.js';
import type { Protocol, Reply, RequestHead } from './protocols.js';

const BULK = '/_bulk';
const DOCUMENT = /\/([^/]+)\/_(?:doc|create)(?:\/([^/]+))?$/;

/** Clients of Elasticsearch refuse a server without this header, after the documents have been stored. */
const PRODUCT = ['X-Elastic-Product', 'Elasticsearch'] as const;

const JSON_TYPES =
  /^application\/(?:json|x-ndjson|vnd\.elasticsearch\+(?:json|x-ndjson))(?:; ?(?:compatible-with|charset)=[\w-]+)*$/i;
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
};

/** Typed clients ask for each member. */
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
};

const CAT_HEALTH = `1747562400 10:00:00 ${NAME} green 1 1 1 1 0 0 0 0 0 - 100.0%\n`;
const CAT_HEALTH_JSON = [
  { cluster: NAME, status: 'green', 'node.total': '1', 'node.data': '1', active_shards_percent: '100.0%' },
];

const LICENSE = { uid: NAME, type: 'basic', mode: 'basic', status: 'active' };

/** Answers by path. Without an active license Beats and Logstash take the backend for another build, and do not send. */
const ANSWERS: ReadonlyMap<string, object> = new Map<string, object>([
  ['/', ROOT],
  ['/_license', { license: { ...LICENSE, issue_date: '2025-10-21T10:00:00.000Z', issue_date_in_millis: 1_761_040_800_000 } }],
  ['/_xpack', { license: LICENSE, features: { ilm: { available: true, enabled: true } }, tagline: 'You know, for X' }],
]);

const ACTIONS = ['index', 'create'] as const;

const ITEM_ERROR = '{"type":"es_rejected_execution_exception","reason":"refused on purpose; send again later"}';

/** Answers to a document by its action: to one that is stored, and behind these to one that is refused because a queue is full. */
const ITEMS = [
  ...ACTIONS.map((action) => `{"${action}":{"status":201}}`),
  ...ACTIONS.map((action) => `{"${action}":{"status":${String(ITEM_STATUS)},"error":${ITEM_ERROR}}}`),
];
const REFUSED = ACTIONS.length;

/** The text of Elasticsearch, with the usual cause: `-d` of curl drops line feeds. */
const NO_LF = 'The bulk request must be terminated by a newline [\\n]; with curl, send it by --data-binary';

const CARRIAGE_RETURN = 0x0d;

const ITEMS_PER_PART = 2000;

export const ELASTICSEARCH: Protocol = {
  read: (body, lines, head) => {
    if (head.path.endsWith(BULK)) {
      const items = readBulk(body, lines);
      const refuse = (item: number): void => {
        items[item] = (items[item] ?? 0) + REFUSED;
      };
      return { answer: () => reply(head, 200, formatBulkAnswer(items)), refuse };
    }
    const [, index, id = '1'] = DOCUMENT.exec(head.path) ?? [];
    lines.add(new JsonBytes(body).onlyObject());
    const result = { _index: index, _id: id, _version: 1, result: 'created', _seq_no: 0, _primary_term: 1 };
    return { answer: () => reply(head, 201, JSON.stringify(result)) };
  },
  answer: (head) => {
    const { method, path } = head;
    // Templates, policies and pipelines of clients have nothing to do here.
    const isManagement = path.startsWith('/_') && !path.endsWith(BULK);
    if (method === 'POST' && isManagement) return reply(head, 200, '{"acknowledged":true}');
    if (method !== 'GET') return undefined;
    const found = path.startsWith('/_cluster/health') ? HEALTH : ANSWERS.get(path);
    if (found !== undefined) return reply(head, 200, JSON.stringify(found));
    if (path.startsWith('/_cat/') || path === '/_cat') return replyTable(head);
    return isManagement ? reply(head, 404, formatError(404, 'there is nothing at this path')) : undefined;
  },
  refuse: (status, message, head) => reply(head, status, formatError(status, message)),
};

/** Answers below `/_cat`: tables of a cluster without indices, as text unless JSON is asked for. */
function replyTable(head: RequestHead): Reply {
  const { path, query, accept } = head;
  const isHealth = path === '/_cat/health';
  if (/(?:^|&)format=json/.test(query) || JSON_TYPES.test((accept.split(',', 1)[0] ?? '').trim()))
    return reply(head, 200, JSON.stringify(isHealth ? CAT_HEALTH_JSON : []));
  return { status: 200, type: 'text/plain; charset=UTF-8', headers: PRODUCT, body: isHealth ? CAT_HEALTH : '' };
}

function reply({ accept }: RequestHead, status: number, body: string | Iterable<string>): Reply {
  const wanted = accept.split(',').map((type) => type.trim());
  const type = wanted.find((one) => JSON_TYPES.test(one)) ?? 'application/json';
  return { status, type, headers: PRODUCT, body };
}

/** Reads lines of an action, each with a document on the next line; blank lines are skipped. @returns the index of the answer to each */
function readBulk(body: Buffer, lines: LineBuffer): Buffer {
  const json = new JsonBytes(body);
  if (body.length > 0 && body.at(-1) !== LF) throw new RefusedError(400, NO_LF);
  const items: number[] = [];
  let line = 0;
  let isDocument = false;
  for (let next = 0; next < body.length;) {
    const from = next;
    const end = body.indexOf(LF, from);
    next = end + 1;
    line += 1;
    if (json.skipBlanks(from) >= end) continue;
    const { start } = json.onlyObject(from, end, line);
    if (isDocument) lines.add({ start: from, end: body[end - 1] === CARRIAGE_RETURN ? end - 1 : end });
    else items.push(readAction(json, start, line));
    isDocument = !isDocument;
  }
  if (isDocument) throw new RefusedError(400, `the action on line ${String(line)} has no document`);
  if (lines.count === 0) throw new RefusedError(400, 'request body is required');
  // A byte an item: answers wait until their clients take them, and a body may have four million items.
  return Buffer.from(items);
}

/** `{"index":{…}}` or `{"create":{…}}`. @returns its index among the actions */
function readAction(json: JsonBytes, start: number, line: number): number {
  const [member, second] = json.members(start);
  const action = ACTIONS.findIndex((name) => member?.name === name);
  if (member !== undefined && action !== -1 && second === undefined && json.isAt(member.start, '{')) return action;
  throw new RefusedError(400, `line ${String(line)} is not an action "index" or "create"; nothing of the request is stored`);
}

function formatBulkAnswer(items: Buffer): string | Iterable<string> {
  const parts = formatItems(items);
  return items.length > ITEMS_PER_PART ? parts : [...parts].join('');
}

/** Formats the answer to a bulk request. Fluent Bit looks for `"errors":false,"items":[` in an answer that it gets in part. */
function* formatItems(items: Buffer): Generator<string> {
  yield `{"took":0,"errors":${String(items.some((item) => item >= REFUSED))},"items":[`;
  for (let from = 0; from < items.length; from += ITEMS_PER_PART) {
    const some = Array.from(items.subarray(from, from + ITEMS_PER_PART), (item) => ITEMS[item] ?? '');
    yield `${from > 0 ? ',' : ''}${some.join(',')}`;
  }
  yield ']}';
}

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
