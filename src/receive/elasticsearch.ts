import { LF } from '../log/byte-string.js';
import { JsonBytes } from '../json-bytes.js';
import type { LineBuffer } from './line-buffer.js';
import { type Protocol, type Reply, type RequestHead } from './protocol.js';
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
const ACTIONS = ['index', 'create'].map((name) => ({ name, answer: `{"${name}":{"status":201}}` }));

const CARRIAGE_RETURN = 0x0d;

/** Items of an answer that are formatted at a time. */
const ITEMS_PER_PART = 2000;

/** The protocol of Elasticsearch and OpenSearch. */
export const ELASTICSEARCH: Protocol = {
  paths: new RegExp(`${BULK}$|${DOCUMENT.source}`),
  read: (body, lines, head) => {
    if (head.path.endsWith(BULK)) return reply(head, 200, formatBulkAnswer(readBulk(body, lines)));
    const [, index, id = '1'] = DOCUMENT.exec(head.path) ?? [];
    lines.add([new JsonBytes(body).onlyObject()]);
    return reply(
      head,
      201,
      JSON.stringify({ _index: index, _id: id, _version: 1, result: 'created', _seq_no: 0, _primary_term: 1 }),
    );
  },
  answerHealth: answerAsElasticsearch,
  refuse: (status, message, head) => reply(head, status, formatError(status, message)),
};

/** Answers a GET or HEAD as a healthy cluster. */
function answerAsElasticsearch(head: RequestHead): Reply | undefined {
  const { path, query, accept } = head;
  if (path === '/') return reply(head, 200, JSON.stringify(ROOT));
  if (path.startsWith('/_cluster/health')) return reply(head, 200, JSON.stringify(HEALTH));
  if (!path.startsWith('/_cat/') && path !== '/_cat') return undefined;
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
 * @returns the answer to each item
 */
function readBulk(body: Buffer, lines: LineBuffer): readonly string[] {
  const json = new JsonBytes(body);
  const answers: string[] = [];
  let line = 0;
  let isDocument = false;
  for (let next = 0; next < body.length;) {
    const from = next;
    const lf = body.indexOf(LF, from);
    const end = lf === -1 ? body.length : lf;
    next = end + 1;
    line += 1;
    if (json.skipBlanks(from) >= end) continue;
    const { start } = json.onlyObject(from, end, line);
    if (isDocument) lines.add([{ start: from, end: body[end - 1] === CARRIAGE_RETURN ? end - 1 : end }]);
    else answers.push(readAction(json, start, line));
    isDocument = !isDocument;
  }
  if (isDocument) throw new RefusedError(400, `the action on line ${String(line)} has no document`);
  if (lines.count === 0) throw new RefusedError(400, 'request body is required');
  return answers;
}

/** `{"index":{…}}` or `{"create":{…}}`. @returns the answer to its item */
function readAction(json: JsonBytes, start: number, line: number): string {
  const [member, other] = json.members(start);
  const action = member === undefined ? undefined : ACTIONS.find(({ name }) => json.isNamed(member, name));
  if (member === undefined || action === undefined || other !== undefined || !json.isAt(member.start, '{')) {
    throw new RefusedError(400, `line ${String(line)} is not an action "index" or "create"; other actions are not supported`);
  }
  return action.answer;
}

function formatBulkAnswer(answers: readonly string[]): string | Iterable<string> {
  const parts = formatItems(answers);
  return answers.length > ITEMS_PER_PART ? parts : [...parts].join('');
}

function* formatItems(answers: readonly string[]): Generator<string> {
  yield '{"took":0,"errors":false,"items":[';
  for (let from = 0; from < answers.length; from += ITEMS_PER_PART) {
    if (from > 0) yield ',';
    yield answers.slice(from, from + ITEMS_PER_PART).join(',');
  }
  yield ']}';
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
  return JSON.stringify({ error: { root_cause: [cause], ...cause }, status });
}
