import { CallError } from '../../errors.js';
import { quoteText } from '../../wording.js';

/** Makes the error that names an option, quotes its value and says what to do: `--loop: "0" is …; give …`. */
export function refuseOption(flag: string, value: string, problem: string, remedy: string): CallError {
  return new CallError({ source: flag }, `${quoteText(value)} ${problem}`, remedy);
}
