import { LOG_NAME } from '../envelope/envelope-time.js';
import { LF } from '../log/byte-string.js';
import type { Deployment } from '../log/deployment.js';
import { stampAt } from '../log/timestamp.js';
import { drawBelow, drawOne, startDrawing, type Draw } from '../requests/draws.js';
import { alter } from './alter.js';
import { interleave, makeLate } from './clusters.js';
import { replaceLines, type Change, type Groups } from './fault.js';
import { fitRecord } from './foreign/foreign-log.js';
import { drawRealRecords, findFailedLogin, formatBurstLogin, type GroupBefore } from './foreign/real-records.js';
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
  missing: ([{ lines }], draw) => replaceLines(lines, drawBelow(lines.length, draw), 1, [], { kind: 'missing' }),
  duplicate: ([{ lines }], draw) => {
    const at = drawBelow(lines.length, draw);
    const [record = ''] = lines.slice(at);
    return replaceLines(lines, at, 1, [record, record], { kind: 'duplicate' });
  },
  swapped: ([{ lines }], draw) => {
    const at = drawBelow(lines.length - 1, draw);
    return replaceLines(lines, at, 2, lines.slice(at, at + 2).reverse(), { kind: 'swapped' });
  },
  altered: alter,
  late: makeLate,
  interleave,
  foreign: addForeign,
  garbage: addGarbage,
  crlf: ([{ lines }], draw) => {
    const isWhole = drawBelow(2, draw) === 1;
    const at = isWhole ? 0 : drawBelow(lines.length, draw);
    const ended = lines.slice(at, isWhole ? lines.length : at + 1).map((line) => `${line}\r`);
    return replaceLines(lines, at, ended.length, ended, { kind: 'crlf' });
  },
};

/** @param groups as many as the kind of the hit takes */
export function makeChange(hit: Hit, groups: Groups, settings: ChangeSettings): Change {
  const draw = startDrawing(CHANGES, settings.seed, hit.drawnFor);
  return MAKERS[hit.kind](groups, draw, settings, hit);
}

const STAMP = /^\[[^\]]*\]:? /;

/** Cuts a record off; the rest is alone on its line, or joined with the next one of its group. The last record keeps its LF. */
function tear([{ lines }]: Groups, draw: Draw, { deployment: { driver } }: ChangeSettings): Change {
  const at = drawBelow(lines.length, draw);
  const [record = '', next] = lines.slice(at);
  // Only the driver `file` writes a stamp, so that nothing but what stands behind the stamp can be cut or follow on the line.
  const [stamp = ''] = driver === 'file' ? [] : (STAMP.exec(record) ?? []);
  const bytes = 1 + drawBelow(record.length - stamp.length - 1, draw);
  const isJoined = drawBelow(2, draw) === 1 && next !== undefined && driver === 'file';
  const cut = record.slice(0, stamp.length + bytes);
  const details = { kind: 'torn', bytes: (driver === 'stdout' ? LOG_NAME.length : 0) + bytes } as const;
  return isJoined ? replaceLines(lines, at, 2, [cut + next], details) : replaceLines(lines, at, 1, [cut], details);
}

/** Adds a foreign record, or several of one request, behind a group. */
function addForeign([{ request, second, lines }]: Groups, draw: Draw, settings: ChangeSettings, { login }: Hit): Change {
  const { deployment } = settings;
  const before = { request, stamp: stampAt(second, deployment), deployment };
  const { record, text } = drawForeign(before, draw, settings, login);
  const details = { kind: 'foreign', record, ...findFailedLogin(text) } as const;
  return replaceLines(lines, lines.length, 0, text.split('\n'), details);
}

function drawForeign(before: GroupBefore, draw: Draw, settings: ChangeSettings, login: Hit['login']) {
  const { seed, foreignRecords, foreignOnly } = settings;
  if (foreignRecords !== undefined) return { record: 'own', text: fitRecord(drawOne(foreignRecords, draw), before) } as const;
  return login === undefined ? drawRealRecords(before, draw, foreignOnly) : formatBurstLogin(before, seed, login);
}

const MAX_GARBAGE_BYTES = 200;
/** This byte and all above it never occur in UTF-8. */
const FIRST_NON_UTF8_BYTE = 0xf8;

/** Adds a line that is not text behind a record, so that no log begins with garbage. */
function addGarbage([{ lines }]: Groups, draw: Draw): Change {
  const at = 1 + drawBelow(lines.length, draw);
  const length = 1 + drawBelow(MAX_GARBAGE_BYTES, draw);
  const invalidAt = drawBelow(length, draw);
  const garbage = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1) {
    const least = index === invalidAt ? FIRST_NON_UTF8_BYTE : 0;
    const byte = least + drawBelow(0x100 - least, draw);
    garbage[index] = byte === LF ? 0 : byte;
  }
  return replaceLines(lines, at, 0, [garbage.toString('latin1')], { kind: 'garbage' });
}
