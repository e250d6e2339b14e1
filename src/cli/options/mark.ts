import { Option } from 'commander';
import { refuseOption } from '../../errors.js';

export const MARK_OPTION = new Option(
  '--mark <name>',
  'add name=1, name=2 and so on to the queries, so that no two requests are alike',
);

/** Reads `--mark`: the name of a query parameter. @throws CallError */
export function parseMark(text: string): string {
  if (/^[A-Za-z0-9._~-]{1,64}$/.test(text)) return text;
  throw refuseOption('--mark', text, 'is no name for a parameter', 'give letters, digits or ._~-, such as r');
}
