import { Option } from 'commander';
import { requireMark } from '../../requests/mark.js';
import { parsePositive } from './quantities.js';

/** The query parameter that numbers the requests. */
export const MARK_OPTION = new Option(
  '--mark <name>',
  'add name=1, name=2 and so on to the queries, so that no two requests are alike',
).argParser(parseMark);

/** Reads `--mark`: the name of a query parameter. @throws CallError */
export function parseMark(text: string): string {
  requireMark('--mark', text);
  return text;
}

/** The factor by which requests are written faster than recorded. */
export const SPEED_OPTION = new Option('--speed <factor>', 'write in real time, so many times as fast as recorded').argParser(
  (text) => parsePositive('--speed', text),
);

/** The forms in which requests are written: as the log, or as a request list. */
export const REQUEST_FORMS = ['log', 'requests'] as const;
export type RequestForm = (typeof REQUEST_FORMS)[number];
