import { Option } from 'commander';
import { parsePositive } from './numbers.js';

export const SPEED_OPTION = new Option('--speed <factor>', 'write in real time, so many times as fast as recorded');

/** Reads `--speed`: how many times as fast as recorded. @throws CallError */
export function parseSpeed(text: string): number {
  return parsePositive('--speed', text);
}
