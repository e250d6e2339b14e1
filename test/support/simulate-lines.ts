import { createDeployment } from '../../src/log/deployment.js';
import { formatGroup } from '../../src/log/group.js';
import { simulateRequests, type Simulation } from './simulate-requests.js';

const SITE = createDeployment();

/** The lines of a simulated log of 150 requests, each with its LF: of unique targets, so that no two load failures are equal. */
export function simulateLines(simulation: Pick<Simulation, 'workers' | 'longestMs' | 'timing' | 'seed'>): string[] {
  const entries = simulateRequests({ ...simulation, requests: 150, start: 1_747_562_400, targets: 0 });
  const offset = 7200;
  const groups = new Map<number, string>();
  return entries.map(({ record, place, request }) => {
    const second = record.localSecond - offset;
    const group = groups.get(second) ?? formatGroup({ millisecond: second * 1000, method: 'GET', target: '/' }, SITE);
    groups.set(second, group);
    return group.split(/(?<=\n)/)[place]?.replace('(GET /)', `(GET /${String(request)})`) ?? '';
  });
}
