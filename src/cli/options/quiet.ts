import { Option } from 'commander';

export const QUIET_OPTION = new Option('--quiet', 'show no progress on a terminal');
