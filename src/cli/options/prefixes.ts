import { refuseOption } from '../../errors.js';
import { encodeText } from '../../log/byte-string.js';
import { checkTarget, type Refusal } from '../../requests/request.js';
import type { TextValue } from './option.js';

/** A longer prefix would hardly fit into the head of an HTTP request. */
const MAX_PREFIX_LENGTH = 4096;

/** Path prefixes, separated by commas. */
export const PREFIXES: TextValue<readonly string[]> = { placeholder: 'a,b,c', completes: 'free', parse: parsePrefixes };

/**
 * Reads `--prefixes a,b,c`: the path prefixes, each once, without leading or trailing slashes and whitespace. A prefix may hold a slash: under
 * `apps/mail` the webmail is at `/apps/mail/`.
 *
 * @throws CallError on a prefix with which no target's path can begin
 */
function parsePrefixes(key: string, text: string): readonly string[] {
  const prefixes = text.split(',').map((given) => {
    if (given.length > MAX_PREFIX_LENGTH) {
      const problem = `is longer than ${String(MAX_PREFIX_LENGTH)} characters`;
      throw refuseOption(key, given, problem, 'give a shorter path');
    }
    const prefix = given.trim().replace(/^\/+|\/+$/g, '');
    const refusal = checkPrefix(prefix);
    if (refusal === undefined) return prefix;
    throw refuseOption(key, given, refusal.problem, refusal.remedy);
  });
  return Array.from(new Set(prefixes));
}

function checkPrefix(prefix: string): Refusal | undefined {
  if (prefix === '') return { problem: 'is empty', remedy: 'give prefixes such as mail,webmail' };
  if (/[?#]/.test(prefix)) return { problem: 'holds ? or #, which end a path', remedy: 'give the path alone' };
  if (/[^\x00-\x7f]/.test(prefix))
    return { problem: 'contains a character that is not ASCII', remedy: 'percent-encode it, as clients send it' };
  return checkTarget(encodeText(`/${prefix}/`));
}
