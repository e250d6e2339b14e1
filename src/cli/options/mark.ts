import { Option } from 'commander';
import { requireMark } from '../../requests/mark.js';

export const MARK_OPTION = new Option(
  '--mark <name>',
  'add name=1, name=2 and so on to the queries, so that no two requests are alike',
);

/** Reads `--mark`: the name of a query parameter. @throws CallError */
export function parseMark(text: string): string {
  requireMark('--mark', text);
  return text;
}
