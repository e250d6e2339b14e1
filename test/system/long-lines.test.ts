import { describe, expect, test } from '@jest/globals';
import { checkLog } from '../../src/check/check-log.js';
import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { DOCUMENTS, DOCUMENT_FORMS } from '../../src/export/forms.js';
import { RequestRowRenderer } from '../../src/export/request-row.js';
import { findFirstGroup, readLoggedRecords, readLoggedRequests } from '../../src/reading/parse.js';
import { inferDeploymentOptions } from '../../src/reading/infer-deployment.js';
import { readAccessLog } from '../../src/requests/access-log/read-access-log.js';
import { readRequestList } from '../../src/requests/list/read-list.js';
import { readWeightedTargets } from '../../src/requests/synth/weighted-targets.js';
import { formatReport } from '../../src/stats/format-report.js';
import { countLog } from '../../src/stats/count-log.js';
import { chunksOf, collect } from '../support/bytes.js';
import { placesIn } from '../support/places.js';

// Lines of almost 1 MiB that would take hours where anything takes quadratic time.
const LENGTH = 1_040_000;
const TIMEOUT_MS = 60_000;
const UNITS = [...Array.from(' \t/\\[]()"?#%1:-.\xff'), '/a', 'a/', '/plugins/a', '/program/lib/', '\xc5\xbc', '[1', '\\x'];

const RECORDS = formatGroup({ millisecond: 1e12, method: 'GET', target: '/mail/' }, createDeployment());

async function readEveryWay(log: string): Promise<void> {
  await collect(checkLog(chunksOf(log), createDeployment()));
  formatReport(await countLog(chunksOf(log)), placesIn('e.log'), { columns: 80, isPlain: false });
  const rows = new RequestRowRenderer();
  for (const request of (await collect(readLoggedRequests(chunksOf(log)))).flat()) rows.render(request);
  const forms = DOCUMENT_FORMS.map((name) => DOCUMENTS[name].form);
  for (const record of (await collect(readLoggedRecords(chunksOf(log)))).flat())
    for (const form of forms) form.format(record, { line: record.line, source: undefined });
  const group = await findFirstGroup(chunksOf(log));
  if (group === undefined) return;
  try {
    inferDeploymentOptions(group);
  } catch (error) {
    expect(error).toHaveProperty('name', 'NoDeploymentError');
  }
}

describe.each(UNITS)('a line of nothing but %j takes no quadratic time', (unit) => {
  const long = unit.repeat(LENGTH / unit.length);

  test(
    'in a list, an access log or a list of targets',
    async () => {
      const rows = [`${long}x,/`, `1747562400,/${long}x`, `1747562400,${long}x,/`, `${long}x`, `"${long}x`];
      const list = rows.map((row) => `${row}\n`).join('');
      await collect(readRequestList(chunksOf(list), { timezone: 'Europe/Warsaw', onBadRow: () => undefined }));
      const line = (user: string, request: string): string => `::1 - ${user} [18/May/2025:12:00:00 +0200] "${request}" 200 1\n`;
      const log = [
        line(long, 'GET / HTTP/1.1'),
        line('-', `GET /${long} HTTP/1.1`),
        line('-', `${long} / HTTP/1.1`),
        `${long}\n`,
      ].join('');
      await collect(readAccessLog(chunksOf(log), { timezone: 'Europe/Warsaw', prefixes: ['mail'] }));
      for (const row of [`/${long},1\n`, `/a,${long}\n`])
        await readWeightedTargets(chunksOf(row), 't.csv').catch(() => undefined);
    },
    TIMEOUT_MS,
  );

  test(
    'in a log',
    async () => {
      const places = ['/mail/', '/var/www/roundcube/plugins/carddav/carddav', '193', 'Warsaw', 'PHP', 'rcube_session.php'];
      for (const place of places) await readEveryWay(RECORDS.replace(place, `${place}${long}`));
      await readEveryWay(RECORDS.replaceAll('/mail/', `/mail/${long}`));
      await readEveryWay(`${long}\n`);
    },
    TIMEOUT_MS,
  );
});
