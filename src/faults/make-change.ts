import type { Deployment } from '../log/deployment.js';
import { drawOne, startDrawing, type Draw } from '../requests/draws.js';
import { alter } from './alter.js';
import { interleave, makeLate } from './clusters.js';
import type { Change, Groups } from './fault.js';
import { fitRecord } from './foreign/foreign-log.js';
import type { RealRecord } from './foreign/kinds.js';
import { drawRealRecords, findFailedLogin, formatBurstLogin } from './foreign/real-records.js';
import type { Hit } from './hits.js';
import type { FaultKind } from './kinds.js';
import { addGarbage, drop, duplicate, endInCrlf, swap, tear } from './record-changes.js';

const CHANGES = [0x165667b1, 0xd3a2646c] as const;

/** The settings of all changes. */
export interface ChangeSettings {
  /** A whole number. */
  readonly seed: number;
  readonly deployment: Deployment;
  /** The records for `foreign`: byte strings without an LF at their end, at least one. Undefined for records of the real software. */
  readonly foreignRecords?: readonly string[] | undefined;
  /** The kinds of records of the real software that are drawn, at least one; undefined for all. */
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
  return { parts: [bytes, `${text}\n`], lineCount: count + touched, at: count, touched, details };
}
