import { LOG_NAME } from '../envelope/envelope-time.js';
import { LF } from '../log/byte-string.js';
import type { Deployment } from '../log/deployment.js';
import { drawBelow, drawOne, startDrawing, type Draw } from '../requests/draws.js';
import { alter } from './alter.js';
import { interleave, makeLate } from './clusters.js';
import type { Change, Groups } from './fault.js';
import { fitRecord } from './foreign/foreign-log.js';
import { drawRealRecords, findFailedLogin, formatBurstLogin } from './foreign/real-records.js';
import type { Hit } from './hits.js';
import type { FaultKind, RealRecord } from './kinds.js';

const CHANGES = [0x165667b1, 0xd3a2646c] as const;

export interface ChangeSettings {
  readonly seed: number;
  readonly deployment: Deployment;
  /** The records for `foreign`, at least one; undefined for those of the real software. */
  readonly foreignRecords?: readonly string[] | undefined;
  /** The kinds of these that are drawn, at least one; undefined for all. */
  readonly foreignOnly?: readonly RealRecord[] | undefined;
}

type MakeChange = (groups: Groups, draw: Draw, settings: ChangeSettings, hit: Hit) => Change;

const MAKERS: Readonly<Record<FaultKind, MakeChange>> = {
  torn: tear,
  missing: drop,
  duplicate,
  swapped: swap,
  altered: alter,
  late: makeLate,
  interleave,
  foreign: addForeign,
  garbage: addGarbage,
  crlf: endInCrlf,
};

/** Makes the fault of a hit. @param groups as many as its kind takes */
export function makeChange(hit: Hit, groups: Groups, settings: ChangeSettings): Change {
  const draw = startDrawing(CHANGES, settings.seed, hit.drawnFor);
  return MAKERS[hit.kind](groups, draw, settings, hit);
}

/** Adds a foreign record, or several of one request, behind a group. */
function addForeign([group]: Groups, draw: Draw, settings: ChangeSettings, { login }: Hit): Change {
  const { seed, deployment, foreignRecords, foreignOnly } = settings;
  const { request, stamp, count, bytes } = group;
  const before = { request, stamp, deployment };
  const { record, text } =
    foreignRecords !== undefined
      ? ({ record: 'own', text: fitRecord(drawOne(foreignRecords, draw), before) } as const)
      : login !== undefined
        ? formatBurstLogin(before, seed, login)
        : drawRealRecords(before, draw, foreignOnly);
  const touched = text.split('\n').length;
  const details = { kind: 'foreign', record, ...findFailedLogin(text) } as const;
  return { parts: [bytes, `${text}\n`], at: count, touched, details };
}

/** Cuts a record off; the rest is alone on its line, or joined with the next one of its group. The last record keeps its LF. */
function tear([group]: Groups, draw: Draw, { deployment }: { readonly deployment: Deployment }): Change {
  const { count } = group;
  const at = drawBelow(count, draw);
  const end = group.endOf(at);
  // Only the driver `file` writes a stamp, so that nothing but what stands behind the stamp can be cut or follow on the line.
  const { driver } = deployment;
  const [stamp = ''] = driver === 'file' ? [] : (STAMP.exec(group.text(group.startOf(at), end)) ?? []);
  const start = group.startOf(at) + stamp.length;
  const bytes = 1 + drawBelow(end - start - 2, draw);
  const isJoined = drawBelow(2, draw) === 1 && at + 1 < count && driver === 'file';
  return {
    parts: group.replace(start + bytes, end, isJoined ? '' : '\n'),
    at,
    touched: 1,
    details: { kind: 'torn', bytes: (driver === 'stdout' ? LOG_NAME.length : 0) + bytes },
  };
}

const STAMP = /^\[[^\]]*\]:? /;

function drop([group]: Groups, draw: Draw): Change {
  const at = drawBelow(group.count, draw);
  const parts = group.replace(group.startOf(at), group.endOf(at), '');
  return { parts, at, touched: 0, details: { kind: 'missing' } };
}

function duplicate([group]: Groups, draw: Draw): Change {
  const at = drawBelow(group.count, draw);
  const start = group.startOf(at);
  const parts = group.replace(start, start, group.text(start, group.endOf(at)));
  return { parts, at, touched: 2, details: { kind: 'duplicate' } };
}

function swap([group]: Groups, draw: Draw): Change {
  const at = drawBelow(group.count - 1, draw);
  const [start, middle, end] = [group.startOf(at), group.endOf(at), group.endOf(at + 1)];
  const parts = group.replace(start, end, group.text(middle, end) + group.text(start, middle));
  return { parts, at, touched: 2, details: { kind: 'swapped' } };
}

/** Ends a record, or all records of the group, in CR LF. */
function endInCrlf([group]: Groups, draw: Draw): Change {
  const { count, size } = group;
  const details = { kind: 'crlf' } as const;
  if (drawBelow(2, draw) === 1) {
    const parts = group.replace(0, size, group.text(0, size).replaceAll('\n', '\r\n'));
    return { parts, at: 0, touched: count, details };
  }
  const at = drawBelow(count, draw);
  const end = group.endOf(at);
  return { parts: group.replace(end - 1, end, '\r\n'), at, touched: 1, details };
}

const MAX_GARBAGE_BYTES = 200;
/** This byte and all above it never occur in UTF-8. */
const FIRST_NON_UTF8_BYTE = 0xf8;

/** Adds a line that is not text behind a record, so that no log begins with garbage. */
function addGarbage([group]: Groups, draw: Draw): Change {
  const at = 1 + drawBelow(group.count, draw);
  const length = 1 + drawBelow(MAX_GARBAGE_BYTES, draw);
  const invalidAt = drawBelow(length, draw);
  const garbage = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1) {
    const least = index === invalidAt ? FIRST_NON_UTF8_BYTE : 0;
    const byte = least + drawBelow(0x100 - least, draw);
    garbage[index] = byte === LF ? 0 : byte;
  }
  const start = group.startOf(at);
  const parts = group.replace(start, start, `${garbage.toString('latin1')}\n`);
  return { parts, at, touched: 1, details: { kind: 'garbage' } };
}
