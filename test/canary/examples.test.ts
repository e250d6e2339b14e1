import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CANARY_KINDS, type CanarySnapshot } from '../../src/canary/findings.js';
import { CanaryMetrics } from '../../src/canary/metrics.js';
import { COMMAND } from '../../src/cli/canary/command.js';
import { flagOf } from '../../src/cli/messages.js';
import { PROJECT } from '../support/run.js';

const COUNTS = { missing: 1, late: 2, duplicated: 3, altered: 4, reordered: 5, foreign: 6 };

const SNAPSHOT: CanarySnapshot = {
  ...{ sent: 100, delivered: 90, outstanding: 7, oldestMs: 1500, counts: COUNTS, others: 8, othersEqual: 1, lossy: 0 },
  ...{ truncations: 0, reconnects: 0, latency: undefined, findings: 0, shown: 0 },
};

const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

/** The names of samples that a canary serves. */
async function servedNames(): Promise<ReadonlySet<string>> {
  const metrics = new CanaryMetrics();
  metrics.addLatency(12);
  const text = await metrics.format(SNAPSHOT);
  return new Set(Array.from(text.matchAll(/^(\w+)[{ ]/gm), ([, name = '']) => name));
}

describe('the metrics', () => {
  test('are in the Prometheus text format: names, types, units, help, and every state from the start', async () => {
    const metrics = new CanaryMetrics();
    const text = await metrics.format(SNAPSHOT);
    const states = Array.from(
      text.matchAll(/^webmail_diaglog_canary_records_total{state="(\w+)"} (\d+)$/gm),
      ([, ...state]) => state,
    );
    expect(states.join(' ')).toBe('sent,100 delivered,90 missing,3 late,2 duplicated,3 altered,4 reordered,5 foreign,6 others,8');
    expect(text).toContain('\nwebmail_diaglog_canary_outstanding_records 7\n');
    expect(text).toContain('\nwebmail_diaglog_canary_lost_records 1\n');
    expect(text).toContain('\nwebmail_diaglog_canary_oldest_outstanding_seconds 1.5\n');
    const types = Array.from(text.matchAll(/^# HELP (\S+) [A-Z].*\n# TYPE \1 (\S+)$/gm), ([, name, type]) =>
      [name, type].join(' '),
    );
    expect(types.map((type) => type.replace('webmail_diaglog_canary_', ''))).toEqual([
      'records_total counter',
      'outstanding_records gauge',
      'oldest_outstanding_seconds gauge',
      'lost_records gauge',
      'reconnects_total counter',
      'latency_seconds histogram',
    ]);
    expect(text).toContain('latency_seconds_bucket{le="0.005"} 0\n');
    expect(text).toContain('latency_seconds_bucket{le="600"} 0\n');
    // The counts are copied anew each time.
    expect(await metrics.format(SNAPSHOT)).toBe(text);
  });
});

describe('examples/canary', () => {
  test.each(['alerts.yml', 'dashboard.json'])('%s asks for metrics and states that a canary serves', async (file) => {
    const served = await servedNames();
    const text = read(`examples/canary/${file}`);
    const named = text.match(/webmail_diaglog_canary_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !served.has(name))).toEqual([]);
    const states = Array.from(text.matchAll(/state=~?\\?"([a-z|]+)/g), ([, list = '']) => list.split('|')).flat();
    expect(states.length).toBeGreaterThan(3);
    const known = new Set<string>(['sent', 'delivered', 'others', ...CANARY_KINDS]);
    expect(states.filter((state) => !known.has(state))).toEqual([]);
  });

  test('docs/canary.md names the metrics that a canary serves', async () => {
    const served = [...(await servedNames())].map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
    const named = read('docs/canary.md').match(/webmail_diaglog_canary_\w+/g) ?? [];
    expect(new Set(named)).toEqual(new Set(served));
  });

  test('the unit and the Deployments give options that there are', () => {
    const known = Object.keys(COMMAND.options).map(flagOf);
    const unit = /ExecStart=((?:.*\\\n)*.*)/.exec(read('examples/canary/webmail-diaglog-canary.service'))?.[1] ?? '';
    const ofPods = ['canary/deployment.yaml', 'kubernetes/canary.yaml'].map(
      (path) => /webmail-diaglog, canary.*\n *args: .*/.exec(read(`examples/${path}`))?.[0] ?? '',
    );
    for (const text of [unit, ...ofPods]) {
      const given = text.match(/--[a-z-]+/g) ?? [];
      expect(given).toContain('--metrics');
      expect(given.filter((option) => !known.includes(option))).toEqual([]);
    }
  });
});
