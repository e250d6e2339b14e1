import { expect, test } from '@jest/globals';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { MAX_NAMES } from '../../src/stats/bounded-counts.js';
import { countLog } from '../../src/stats/count-log.js';
import { chunksOf } from '../support/bytes.js';

test('targets that are too many are counted by path: without authority, query and fragment', async () => {
  const site = createDeployment({ plugins: ['carddav'] });
  const targets = Array.from({ length: MAX_NAMES + 1 }, (_, n) => `/mail/?r=${String(n)}`);
  targets.push('/mail/#top', 'http://host/mail/', 'HTTP://host:80/mail/?x', 'https://host?x', '/poczta/');
  const log = targets.map((target) => formatGroup({ millisecond: 0, method: 'GET', target }, site)).join('');
  const { targets: counts } = await countLog(chunksOf(log));
  expect(counts.sorted()).toEqual([
    { name: '/mail/', count: MAX_NAMES + 4 },
    { name: '/', count: 1 },
    { name: '/poczta/', count: 1 },
  ]);
});

test('lines that do not begin with a bracket belong to the foreign message directly above', async () => {
  const trace =
    '[22-Nov-2026 01:20:14 Europe/Warsaw] PHP Fatal error:  Uncaught E: x in /srv/a.php:6\nStack trace:\n#0 {main}\n\nNext F: y\n';
  const { foreignMessages } = await countLog(chunksOf(`garbage\ngarbage\n${trace}${trace}[forged\nStack trace:\n`));
  expect(foreignMessages.sorted()).toEqual([
    { name: 'PHP Fatal error:  Uncaught E: x in a.php:*', count: 2 },
    { name: 'garbage', count: 2 },
    { name: '[forged', count: 1 },
  ]);
});
