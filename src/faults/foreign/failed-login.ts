import { drawBelow, drawOne, type Draw } from '../../requests/draws.js';

/** Who could not log in, and from where. Byte strings. */
export interface FailedLogin {
  readonly user: string;
  readonly address: string;
}

/** A failed login as Roundcube 1.5 to 1.6.18 reports it. Behind a proxy the address has headers behind it, in parentheses. */
const FAILED_LOGIN = /^\[[^\]]*\]: <[^>]*> IMAP Error: Login failed for (.*) against \S+ from (.+?)\. /;

/** Finds the failed login that a record reports, if it reports one. @param record a byte string */
export function findFailedLogin(record: string): FailedLogin | undefined {
  const [, user, address] = FAILED_LOGIN.exec(record) ?? [];
  return user === undefined || address === undefined ? undefined : { user, address };
}

const NAMES = ['admin', 'anna', 'biuro', 'info', 'jan', 'kontakt', 'marek', 'office', 'postmaster', 'sales', 'test', 'zofia'];
const DOMAIN = '@example.org';

/** Draws a made-up user. */
export function drawUser(draw: Draw): string {
  return drawOne(NAMES, draw) + (drawBelow(2, draw) === 1 ? DOMAIN : '');
}

/** The networks that are set aside for documentation (RFC 5737, RFC 3849); no real host has such an address. */
const IPV4_NETWORKS = ['192.0.2.', '198.51.100.', '203.0.113.'];
const IPV6_NETWORK = '2001:db8:';
/** Of so many addresses one is of IPv6. */
const IPV6_SHARE = 8;

/** Draws an address of a network for documentation. */
export function drawAddress(draw: Draw): string {
  if (drawBelow(IPV6_SHARE, draw) > 0) return drawOne(IPV4_NETWORKS, draw) + String(1 + drawBelow(254, draw));
  const drawPart = (): string => (1 + drawBelow(0xffff, draw)).toString(16);
  return `${IPV6_NETWORK}${drawPart()}::${drawPart()}`;
}
