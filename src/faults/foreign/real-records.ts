import { startDrawing, drawBelow, drawOne, type Draw } from '../../requests/draws.js';
import type { Deployment } from '../../log/deployment.js';
import type { LogRequest } from '../../log/group.js';
import { pluginFilePathOf } from '../../log/record.js';
import { formatStamp, type Stamp } from '../../log/timestamp.js';
import { pathOf } from '../../requests/target.js';
import type { BurstLogin } from '../hits.js';
import { REAL_RECORDS, type RealRecord } from '../kinds.js';

// Foreign records as Roundcube 1.6.10 under PHP 8.4 writes them. A request that fails writes its group first.

export interface GroupBefore {
  readonly request: LogRequest;
  readonly stamp: Stamp;
  readonly deployment: Deployment;
}

/** The folder of the application: that above `program` in the path of the plugin loader. */
export function rootOf({ installRoot, loaderPath }: Deployment): string {
  const end = loaderPath.lastIndexOf('/program/');
  return end === -1 ? installRoot : loaderPath.slice(0, end);
}

function libraryOf({ deployment }: GroupBefore): string {
  return `${rootOf(deployment)}/program/lib/${deployment.library}`;
}

/** `[<timestamp> <utc_offset>]: <<session>> <type> Error: <message> (<descriptor>)`: a record of the application */
function formatRoundcube({ stamp }: GroupBefore, session: string, type: string, message: string, descriptor: string): string {
  return `[${formatStamp(stamp)}]: <${session}> ${type} Error: ${message} (${descriptor})`;
}

/** `[<timestamp> <timezone_name>] PHP <severity>:  <message>`: a record of PHP itself */
function formatPhp({ stamp: { timestamp }, deployment: { timezone } }: GroupBefore, severity: string, message: string): string {
  return `[${timestamp} ${timezone}] PHP ${severity}:  ${message}`;
}

const PREFIX = /^\/[A-Za-z0-9._~-]{1,64}\//;

/** The descriptor of a form sent to the same application: the target of a POST has the fields of the body. */
function formDescriptorOf({ request: { target } }: GroupBefore, query: string): string {
  const [prefix = '/'] = PREFIX.exec(pathOf(target)) ?? [];
  return `POST ${prefix}?${query}`;
}

const LOGIN = '_task=login&_action=login';
const SEND = '_task=mail&_unlock=loading1&_framed=1&_lang=pl&_action=send';

const REFUSED = 'AUTHENTICATE PLAIN: Authentication failed.';
/** The user did not cause it: fail2ban ignores it. */
const UNREACHABLE = 'Could not connect to 127.0.0.1:143: Connection refused';

const REFUSALS = [
  '5.1.1 User unknown in virtual mailbox table',
  '5.7.1 Relay access denied',
  '5.7.26 This mail is unauthenticated\n5.7.26 see http://example.org/ for more\n5.7.26 information. - gsmtp',
];
const LIMITS = [
  'Allowed memory size of 134217728 bytes exhausted (tried to allocate 2097152 bytes)',
  'Maximum execution time of 120 seconds exceeded',
];

type DrawFailure = (group: GroupBefore, draw: Draw) => string;

const drawLogin =
  (reason: string): DrawFailure =>
  (group, draw) =>
    formatLogin(group, drawSession(draw), drawUser(draw), drawAddress(draw), reason);

const drawRecipient: DrawFailure = (group, draw) => {
  const answer = drawOne(REFUSALS, draw);
  const session = drawSession(draw);
  const refusal = `Failed to add recipient '${drawUser(draw)}': ${answer} (Code: 550) in ${libraryOf(group)}/rcube.php on line 1795`;
  return formatSend(group, session, ['PHP', 'Invalid response code received from server'], ['SMTP', refusal]);
};

const drawSmtp: DrawFailure = (group, draw) =>
  formatSend(
    group,
    drawSession(draw),
    ['PHP', 'Connection refused'],
    ['PHP', 'Failed to connect socket: Connection refused'],
    ['SMTP', `Connection failed:  (Code: -1) in ${libraryOf(group)}/rcube.php on line 1795`],
  );

const drawReadonly: DrawFailure = (group, draw) => {
  const id = drawSessionId(draw);
  const query = `SELECT "vars", "ip", "changed", datetime('now') AS ts, CASE WHEN "changed" < datetime('now', '-600 seconds') THEN 1 ELSE 0 END AS expired FROM "session" WHERE "sess_id" = '${id}'`;
  const message = `[8] attempt to write a readonly database (SQL Query: ${query}) in ${libraryOf(group)}/rcube_db.php on line 577`;
  return formatRoundcube(group, id.slice(0, SHOWN_ID_CHARACTERS), 'DB', message, descriptorOf(group));
};

const drawDatabase: DrawFailure = (group, draw) => {
  const message = `SQLSTATE[HY000] [2002] Connection refused in ${libraryOf(group)}/rcube_db.php on line 201`;
  return formatRoundcube(group, drawSession(draw), 'DB', message, descriptorOf(group));
};

const drawForgedForm: DrawFailure = (group, draw) => {
  const descriptor = formDescriptorOf(group, '_task=settings&_action=save-prefs');
  return formatRoundcube(group, drawSession(draw), 'PHP', 'Request security check failed', descriptor);
};

const drawWarning: DrawFailure = (group, draw) =>
  formatPhp(group, 'Warning', `first line\nsecond line\n  third line in ${drawPlugin(group, draw)} on line ${drawLine(draw)}`);

const drawExhaustion: DrawFailure = (group, draw) =>
  formatPhp(group, 'Fatal error', `${drawOne(LIMITS, draw)} in ${drawPlugin(group, draw)} on line ${drawLine(draw)}`);

const drawException: DrawFailure = (group, draw) => {
  const plugin = drawPlugin(group, draw);
  const line = drawLine(draw);
  const callers = [
    `${libraryOf(group)}/rcube_plugin_api.php(520): sync->startup()`,
    `${rootOf(group.deployment)}/index.php(92): rcube_plugin_api->exec_hook()`,
  ];
  const caught = `Uncaught RuntimeException: Cannot sync folder for ${drawUser(draw)} in ${plugin}:${line}`;
  const trace = formatTrace([`${plugin}(${drawLine(draw)}): sync->fetch()`, ...callers]);
  const isChained = drawBelow(2, draw) === 1;
  const next = isChained ? `\n\nNext LogicException: Sync failed in ${plugin}:${line}\n${formatTrace(callers)}` : '';
  return formatPhp(group, 'Fatal error', `${caught}\n${trace}${next}\n  thrown in ${plugin} on line ${line}`);
};

/** Repeated entries are more frequent. Another order changes the bytes of broken logs. */
const FAILURES: Readonly<Record<RealRecord, readonly DrawFailure[]>> = {
  login_failed: Array.from({ length: 4 }, () => drawLogin(REFUSED)),
  imap_unreachable: [drawLogin(UNREACHABLE)],
  smtp: [drawRecipient, drawSmtp],
  database: [drawReadonly, drawDatabase],
  php: [drawForgedForm, drawWarning, drawExhaustion, drawException, drawException],
};

interface DrawnRecords {
  readonly record: RealRecord;
  readonly text: string;
}

/** Draws the record or records that a failing request writes behind its group. @param only the kinds to draw from */
export function drawRealRecords(group: GroupBefore, draw: Draw, only: readonly RealRecord[] = REAL_RECORDS): DrawnRecords {
  const kinds = REAL_RECORDS.filter((record) => only.includes(record));
  const possible = kinds.flatMap((record) => FAILURES[record].map((drawFailure) => ({ record, drawFailure })));
  const { record, drawFailure } = drawOne(possible, draw);
  return { record, text: drawFailure(group, draw) };
}

const BURSTS = [0x2545f491, 0x4f6cdd1d] as const;

/** The application locks a user after this many tries; an attacker then tries another user. */
const TRIES_PER_USER = 3;

/** All logins of a burst come from one address, with one session for each user. */
export function formatBurstLogin(group: GroupBefore, seed: number, { burst, index }: BurstLogin): DrawnRecords {
  const draw = startDrawing(BURSTS, seed, burst);
  const address = drawAddress(draw);
  let [user, session] = ['', ''];
  for (let tried = 0; tried <= index; tried += TRIES_PER_USER) [user, session] = [drawUser(draw), drawSession(draw)];
  return { record: 'login_failed', text: formatLogin(group, session, user, address, REFUSED) };
}

function formatLogin(group: GroupBefore, session: string, user: string, address: string, reason: string): string {
  const message = `Login failed for ${user} against 127.0.0.1 from ${address}. ${reason} in ${libraryOf(group)}/rcube_imap.php on line 211`;
  return formatRoundcube(group, session, 'IMAP', message, formDescriptorOf(group, LOGIN));
}

/** A failed login as Roundcube 1.5 to 1.6.18 reports it. Behind a proxy, headers in parentheses follow the address. */
const FAILED_LOGIN = /^\[[^\]]*\]: <[^>]*> IMAP Error: Login failed for (.*) against \S+ from (.+?)\. /;

/** The user and the address of the failed login that a record reports; empty for any other record. */
export function findFailedLogin(record: string): { readonly user?: string; readonly address?: string } {
  const [, user, address] = FAILED_LOGIN.exec(record) ?? [];
  return user === undefined || address === undefined ? {} : { user, address };
}

function formatSend(
  group: GroupBefore,
  session: string,
  ...records: readonly (readonly [type: string, message: string])[]
): string {
  const descriptor = formDescriptorOf(group, SEND);
  return records.map(([type, message]) => formatRoundcube(group, session, type, message, descriptor)).join('\n');
}

function descriptorOf({ request: { method, target } }: GroupBefore): string {
  return `${method} ${target}`;
}

function formatTrace(callers: readonly string[]): string {
  return ['Stack trace:', ...[...callers, '{main}'].map((caller, index) => `#${String(index)} ${caller}`)].join('\n');
}

/** The file of a plugin that the deployment does not have. */
function drawPlugin({ deployment }: GroupBefore, draw: Draw): string {
  return pluginFilePathOf(drawOne(['archive_sync', 'folder_sync', 'calendar_sync'], draw), deployment);
}

function drawLine(draw: Draw): string {
  return String(1 + drawBelow(400, draw));
}

/** Ids of 4 bits a character, and of 5 bits (PHP's `session.sid_bits_per_character`), drawn in parts of some characters. */
const ID_FORMS = [
  { radix: 16, idCharacters: 32, partCharacters: 8, parts: 2 ** 32 },
  { radix: 32, idCharacters: 26, partCharacters: 6, parts: 2 ** 30 },
] as const;

function drawSessionId(draw: Draw): string {
  const { radix, idCharacters, partCharacters, parts } = drawOne(ID_FORMS, draw);
  let id = '';
  while (id.length < idCharacters) id += drawBelow(parts, draw).toString(radix).padStart(partCharacters, '0');
  return id.slice(0, idCharacters);
}

const SHOWN_ID_CHARACTERS = 8;

function drawSession(draw: Draw): string {
  return drawSessionId(draw).slice(0, SHOWN_ID_CHARACTERS);
}

const NAMES = ['admin', 'anna', 'biuro', 'info', 'jan', 'kontakt', 'marek', 'office', 'postmaster', 'sales', 'test', 'zofia'];
const DOMAIN = '@example.org';

function drawUser(draw: Draw): string {
  return drawOne(NAMES, draw) + (drawBelow(2, draw) === 1 ? DOMAIN : '');
}

/** Networks reserved for documentation (RFC 5737): no real host has such an address, nor one below 2001:db8::/32 (RFC 3849). */
const IPV4_NETWORKS = ['192.0.2.', '198.51.100.', '203.0.113.'];
const IPV6_SHARE = 8;

function drawAddress(draw: Draw): string {
  if (drawBelow(IPV6_SHARE, draw) > 0) return drawOne(IPV4_NETWORKS, draw) + String(1 + drawBelow(254, draw));
  const drawPart = (): string => (1 + drawBelow(0xffff, draw)).toString(16);
  return `2001:db8:${drawPart()}::${drawPart()}`;
}
